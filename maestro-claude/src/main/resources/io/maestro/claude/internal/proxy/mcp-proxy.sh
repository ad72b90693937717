#!/bin/sh
# Carries bytes between standard input and output and MAESTRO_MCP_PORT of MAESTRO_MCP_HOST, with MAESTRO_MCP_TOKEN as the first
# line. Ends when either side ends. Needs cat and one of the programs below; with --check it only says which one.
# The token is in no argument: other users could see those.
LC_ALL=C
export LC_ALL MAESTRO_MCP_HOST MAESTRO_MCP_PORT MAESTRO_MCP_TOKEN

has() { command -v "$1" >/dev/null 2>&1; }

# A bash can be built without /dev/tcp.
bash_can() {
    has bash || return 1
    case $(bash -c 'exec 3<>/dev/tcp/127.0.0.1/9' 2>&1) in *"No such file"*) return 1 ;; esac
}

usable() {
    case $1 in
        bash) bash_can ;;
        busybox) has busybox && busybox nc --help >/dev/null 2>&1 ;;
        # That of OpenBSD does not end when the server has ended.
        nc) has nc && case $(nc -h 2>&1) in OpenBSD*) return 1 ;; esac ;;
        perl) has perl && perl -MIO::Socket::INET -e 1 2>/dev/null ;;
        *) has "$1" ;;
    esac
}

choose() {
    for tool in ${MAESTRO_MCP_TOOL:-bash python3 perl node socat nc busybox}; do
        if usable "$tool"; then return 0; fi
    done
    echo "maestro proxy: there is no bash, python3, perl, node, socat or nc to carry messages with" >&2
    return 1
}

# Where the program does not send the token by itself. The writer names its process first, so that it can be ended when the
# other side has ended: a pipeline does not tell.
relay() {
    sh -c 'echo "$$"; printf "%s\n" "$MAESTRO_MCP_TOKEN"; exec cat' | {
        IFS= read -r writer
        exec 5<&0 </dev/null
        "$@" <&5 5<&- &
        net=$!
        exec 5<&-
        wait "$net"
        code=$?
        # Its number may be another process's by now, which is no child of this script. It need not be cat yet.
        parent=
        { read -r number name state parent rest < "/proc/$writer/stat"; } 2>/dev/null
        if test "$parent" = "$$"; then kill "$writer" 2>/dev/null; fi
        exit "$code"
    }
}

in_bash='
exec 3<>"/dev/tcp/$MAESTRO_MCP_HOST/$MAESTRO_MCP_PORT" || exit 1
printf "%s\n" "$MAESTRO_MCP_TOKEN" >&3 || exit 1
exec 4<&0 </dev/null
cat <&3 3<&- 4<&- & down=$!
# Not both in one "wait -n", which can miss a process that ends in the moment in which it begins to wait.
{
    trap "kill \$! 2>/dev/null; exit" TERM
    cat <&4 >&3 3<&- 4<&- &
    exec 3<&- 4<&-
    wait "$!"
    kill "$down" 2>/dev/null
} & up=$!
exec 3<&- 4<&-
trap "kill $up $down 2>/dev/null" EXIT
trap "exit 143" TERM INT HUP
wait "$down"
exit 0
'

in_python='
import os, signal, socket, threading, time
for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(name, signal.SIG_DFL)
c = socket.create_connection((os.environ["MAESTRO_MCP_HOST"], int(os.environ["MAESTRO_MCP_PORT"])), 30)
c.settimeout(None)
c.sendall((os.environ["MAESTRO_MCP_TOKEN"] + "\n").encode())
def up():
    try:
        while True:
            data = os.read(0, 65536)
            if not data:
                break
            c.sendall(data)
        c.shutdown(socket.SHUT_WR)
        time.sleep(1)
    except OSError:
        pass
    os._exit(0)
threading.Thread(target=up, daemon=True).start()
try:
    while True:
        data = c.recv(65536)
        if not data:
            break
        while data:
            data = data[os.write(1, data):]
except OSError:
    pass
os._exit(0)
'

in_perl='
use strict;
$SIG{PIPE} = "IGNORE";
my ($host, $port) = @ENV{"MAESTRO_MCP_HOST", "MAESTRO_MCP_PORT"};
my $s = eval { require IO::Socket::IP; IO::Socket::IP->new(PeerHost => $host, PeerPort => $port, Timeout => 30) }
    || eval { require IO::Socket::INET; IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Timeout => 30) }
    || die "cannot connect to $host port $port: $@\n";
sub put {
    my ($to, $data) = @_;
    for (my $at = 0; $at < length $data;) {
        my $n = syswrite($to, $data, length($data) - $at, $at);
        return 0 unless defined $n;
        $at += $n;
    }
    return 1;
}
sub carry {
    my ($from, $to) = @_;
    my $data;
    while (sysread($from, $data, 65536)) { put($to, $data) or return; }
}
put($s, $ENV{MAESTRO_MCP_TOKEN} . "\n") or die "cannot send to $host\n";
my $parent = $$;
my $child = fork;
defined $child or die "cannot fork\n";
if (!$child) {
    carry(\*STDIN, $s);
    shutdown($s, 1);
    sleep 1;
    kill "TERM", $parent if getppid() == $parent;
    exit 0;
}
$SIG{TERM} = $SIG{INT} = $SIG{HUP} = sub { kill "KILL", $child; exit 0; };
carry($s, \*STDOUT);
kill "KILL", $child;
waitpid $child, 0;
exit 0;
'

in_node='
const c = require("net").connect(Number(process.env.MAESTRO_MCP_PORT), process.env.MAESTRO_MCP_HOST, () => {
    c.write(process.env.MAESTRO_MCP_TOKEN + "\n");
    process.stdin.pipe(c);
    process.stdin.on("end", () => setTimeout(() => process.exit(0), 1000));
});
c.on("data", (data) => { if (!process.stdout.write(data)) { c.pause(); process.stdout.once("drain", () => c.resume()); } });
c.on("end", () => process.stdout.write("", () => process.exit(0)));
c.on("error", (e) => { console.error(e.message); process.exit(1); });
process.stdout.on("error", () => process.exit(0));
'

choose || exit 1
if test "${1:-}" = --check; then
    has cat || { echo "maestro proxy: there is no cat" >&2; exit 1; }
    echo "$tool"
    exit 0
fi
case $tool in
    bash) exec bash -c "$in_bash" ;;
    python3) exec python3 -c "$in_python" ;;
    perl) exec perl -e "$in_perl" ;;
    node) exec node -e "$in_node" ;;
    socat)
        case $MAESTRO_MCP_HOST in *:*) MAESTRO_MCP_HOST="[$MAESTRO_MCP_HOST]" ;; esac
        relay socat -t 1 - "TCP:$MAESTRO_MCP_HOST:$MAESTRO_MCP_PORT"
        ;;
    busybox) relay busybox nc "$MAESTRO_MCP_HOST" "$MAESTRO_MCP_PORT" ;;
    *)
        # Debian's need to be told to end after the input has ended, or they wait for the server.
        option=
        case $(nc -h 2>&1) in *"-q "*) option=-q1 ;; esac
        relay nc $option "$MAESTRO_MCP_HOST" "$MAESTRO_MCP_PORT"
        ;;
esac
