# microsocks, from Debian: a SOCKS 5 proxy for everybody, and one for a user. The servers behind them are those of nginx.
install microsocks
need nginx
port=$(free_port)
microsocks -i 127.0.0.1 -p "$port" 2>"$directory/socks.log" &
at_exit "kill $!"
listening "$port"
export SALLYPORT_SOCKS="127.0.0.1:$port"
port=$(free_port)
microsocks -i 127.0.0.1 -p "$port" -u sallyport -P 'p@ss:wörd' 2>"$directory/socks-user.log" &
at_exit "kill $!"
listening "$port"
export SALLYPORT_SOCKS_WITH_USER="127.0.0.1:$port" SALLYPORT_SOCKS_USER="sallyport:p%40ss%3Aw%C3%B6rd"
