# Chromium, from Debian, driven by Selenium, from PyPI: a person's browser. As $BROWSER, it signs in by itself.
need glewlwyd
need gateway
install chromium
install chromedriver chromium-driver
[ -d /usr/share/fonts/truetype/dejavu ] || install the-fonts fonts-dejavu-core
python3 -m venv "$directory/selenium"
"$directory/selenium/bin/pip" install --quiet --disable-pip-version-check selenium==4.51.0
export SALLYPORT_COMMAND="$PWD/.build/debug/sallyport"
export SALLYPORT_BROWSER="$directory/selenium/bin/python -B $PWD/Tests/RealServers/browser-login.py"

# Glewlwyd's own pages are broken in Debian: some are links out of their folder, which it does not follow, and the link to
# config.json leads to a folder that has it. It is started again, with a copy of the pages in which all is in its place.
pages="$directory/glewlwyd/webapp"
cp -rL /usr/share/glewlwyd/webapp "$pages"
[ ! -d "$pages/config.json" ] || { mv "$pages/config.json" "$pages/config.folder" && mv "$pages/config.folder/config.json" "$pages"; }
Tests/RealServers/glewlwyd-server stop "$directory/glewlwyd"
sed -i "s|^static_files_path=.*|static_files_path=\"$pages/\"|" "$directory/glewlwyd/glewlwyd.conf"
Tests/RealServers/glewlwyd-server start "$directory/glewlwyd"

# The pages in files, to be looked at. Where SALLYPORT_SCREENSHOTS names a folder, the pictures stay there.
SALLYPORT_PAGES="$directory/pages" .build/debug/sallyportPackageTests.xctest --testing-library swift-testing \
    --filter PageFilesTests >"$directory/pages.log" 2>&1 ||
    { cat "$directory/pages.log" >&2; exit 1; }
SALLYPORT_PAGE_CHECK="$directory/selenium/bin/python -B $PWD/Tests/RealServers/page-screenshots.py"
export SALLYPORT_PAGE_CHECK+=" ${SALLYPORT_SCREENSHOTS:-$directory/screenshots} $directory/pages"
SALLYPORT_GATEWAY_PAGE_CHECK="$directory/selenium/bin/python -B $PWD/Tests/RealServers/gateway-pages.py"
export SALLYPORT_GATEWAY_PAGE_CHECK+=" $SALLYPORT_GATEWAY ${SALLYPORT_SCREENSHOTS:-$directory/screenshots}"
SALLYPORT_INSPECTOR_CHECK="$directory/selenium/bin/python -B $PWD/Tests/RealServers/inspector-page.py"
export SALLYPORT_INSPECTOR_CHECK+=" ${SALLYPORT_SCREENSHOTS:-$directory/screenshots}"
