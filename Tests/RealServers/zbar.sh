# zbarimg, from Debian: reads the QR codes of the terminal from an image.
install zbarimg zbar-tools
SALLYPORT_ZBARIMG=$(command -v zbarimg)
export SALLYPORT_ZBARIMG
