/* Carries each connection to 127.0.0.1 and a port to a socket of the host: relay PORT SOCKET READY */
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void carry(int from, int to) {
    static char bytes[65536];
    ssize_t some;
    while ((some = read(from, bytes, sizeof bytes)) > 0) {
        for (ssize_t done = 0; done < some;) {
            ssize_t part = write(to, bytes + done, some - done);
            if (part <= 0) {
                shutdown(from, SHUT_RDWR);
                shutdown(to, SHUT_RDWR);
                _exit(1);
            }
            done += part;
        }
    }
    shutdown(to, SHUT_WR);
    if (some < 0) shutdown(from, SHUT_RDWR);
    _exit(0);
}

int main(int count, char **words) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un host = {.sun_family = AF_UNIX};
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    if (count != 4 || strlen(words[2]) >= sizeof host.sun_path) return 2;
    strcpy(host.sun_path, words[2]);
    here.sin_port = htons(atoi(words[1]));
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 128)) return 1;
    close(open(words[3], O_CREAT | O_WRONLY, 0600));
    for (;;) {
        int client = accept(listener, 0, 0), up = -1;
        if (client < 0) continue;
        if (fork() == 0) {
            close(listener);
            up = socket(AF_UNIX, SOCK_STREAM, 0);
            if (connect(up, (struct sockaddr *)&host, sizeof host)) _exit(1);
            switch (fork()) {
                case 0: carry(up, client); break;
                case -1: _exit(1);
                default: carry(client, up);
            }
        }
        close(client);
    }
}
