package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.BasicAuthenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.LocalForge;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that wants a password, and what becomes of the password. */
class HttpRemoteTest {
    private static final String TOKEN = "t0ken-7f3a9c";

    @TempDir
    Path directory;

    private final Queue<String> commandLinesWithToken = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private TestRepository people;
    private volatile int failure;
    /** What a request has to hold to fail. */
    private volatile String failing = "";

    @BeforeEach
    void start() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle).setAuthenticator(new BasicAuthenticator("git") {
            @Override
            public boolean checkCredentials(String user, String password) {
                return user.equals("jo") && password.equals(TOKEN);
            }
        });
        server.setExecutor(threads);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    private String url(String userInfo) {
        return "http://" + userInfo + "127.0.0.1:" + server.getAddress().getPort() + "/app.git";
    }

    /** Git's own server, by CGI. */
    private void handle(HttpExchange exchange) throws IOException {
        lookForTheTokenInCommandLines();
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (failure != 0 && new String(body, StandardCharsets.ISO_8859_1).contains(failing)) {
            exchange.sendResponseHeaders(failure, -1);
            exchange.close();
            return;
        }
        ProcessBuilder builder = new ProcessBuilder("git", "http-backend");
        builder.environment()
                .putAll(Map.of(
                        "GIT_PROJECT_ROOT", people.bare.getParent().toString(),
                        "GIT_HTTP_EXPORT_ALL", "1",
                        "REMOTE_USER", "jo",
                        "REMOTE_ADDR", "127.0.0.1",
                        "REQUEST_METHOD", exchange.getRequestMethod(),
                        "PATH_INFO", exchange.getRequestURI().getPath(),
                        "QUERY_STRING", String.valueOf(exchange.getRequestURI().getRawQuery())));
        header(exchange, "Content-Type", builder, "CONTENT_TYPE");
        header(exchange, "Content-Encoding", builder, "HTTP_CONTENT_ENCODING");
        header(exchange, "Git-Protocol", builder, "GIT_PROTOCOL");
        builder.environment().put("CONTENT_LENGTH", Integer.toString(body.length));
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var out = process.getOutputStream()) {
            out.write(body);
        }
        int status = 200;
        try (InputStream in = new BufferedInputStream(process.getInputStream());
                exchange) {
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                String[] header = line.split(": ", 2);
                if (header[0].equals("Status")) {
                    status = Integer.parseInt(header[1].substring(0, 3));
                } else {
                    exchange.getResponseHeaders().add(header[0], header[1]);
                }
            }
            exchange.sendResponseHeaders(status, 0);
            in.transferTo(exchange.getResponseBody());
        }
    }

    @Test
    void aPushThatIsNotAllowedIsFoundWithoutPushing() throws IOException {
        GitRepository repository = new GitRepository(directory.resolve("project"), url("jo:" + TOKEN + "@"));

        assertThat(repository.check().refusesPush()).isEmpty();
        git(people.bare, "config", "http.receivepack", "false");

        assertThat(repository.in(directory.resolve("another")).check().refusesPush())
                .hasValueSatisfying(why -> assertThat(why).contains("403").doesNotContain(TOKEN));
        assertThat(git(people.bare, "branch", "--list", "maestro/*")).isEmpty();
    }

    private static void header(HttpExchange exchange, String header, ProcessBuilder builder, String variable) {
        String value = exchange.getRequestHeaders().getFirst(header);
        if (value != null) {
            builder.environment().put(variable, value);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private void lookForTheTokenInCommandLines() throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes
                    .filter(p -> p.getFileName().toString().matches("\\d+"))
                    .toList()) {
                try {
                    String line = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                    if (line.contains(TOKEN)) {
                        commandLinesWithToken.add(line.replace('\0', ' '));
                    }
                } catch (IOException e) {
                    // It has ended.
                }
            }
        }
    }

    @Test
    void aCopyToPlayWithHasNoCredentials() throws IOException {
        RepositoryCopy copy = new RepositoryCopy(url("jo:" + TOKEN + "@"), directory);
        String main = git(people.bare, "rev-parse", "main").strip();
        copy.setBranch("replay", main);
        copy.setDefault("replay");

        assertThat(copy.tree("replay"))
                .isEqualTo(git(people.bare, "rev-parse", main + "^{tree}").strip());
        assertThat(copy.secrets()).containsExactly(TOKEN);
        assertThat(git(copy.directory(), "symbolic-ref", "HEAD").strip()).isEqualTo("refs/heads/replay");
        assertThat(commandLinesWithToken).isEmpty();
        requireNoToken(copy.directory());
    }

    private static void requireNoToken(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .as(file.toString())
                        .doesNotContain(TOKEN);
            }
        }
    }

    @Test
    void credentialsInTheUrlWorkAndAreFoundNowhere() throws IOException {
        String withToken = url("jo:" + TOKEN + "@");
        Path work = directory.resolve("work");
        GitRepository repository = new GitRepository(work, withToken);
        Workspace workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        write(workspace.directory(), "a.txt", "a\n");
        people.commit("Other", Map.of("b.txt", "b\n"));
        String commit = workspace.commit(workspace.integrate().after(), "S", "");
        workspace.push();
        assertThat(new LocalForge()
                        .merge(new Proposal(
                                "1",
                                1,
                                "T",
                                "",
                                repository.mirror(),
                                withToken,
                                workspace.branch(),
                                commit,
                                workspace.baseCommit(),
                                "main",
                                List.of())))
                .isInstanceOf(Outcome.Merged.class);
        assertThat(people.file("main", "a.txt") + people.file("main", "b.txt")).isEqualTo("a\nb\n");

        assertThat(repository.displayUrl()).isEqualTo(url(""));
        assertThat(git(workspace.directory(), "remote", "get-url", "origin").strip())
                .isEqualTo(url(""));
        assertThat(commandLinesWithToken).isEmpty();
        requireNoToken(work);
    }

    @Test
    void wrongAndMissingCredentialsAreSaidSoWithoutShowingThem() {
        for (String userInfo : List.of("jo:wrong-secret@", "wrong-secret-and-long-token@", "")) {
            assertThatThrownBy(() -> new GitRepository(directory.resolve("work"), url(userInfo)).refresh())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining("credential helper")
                    .message()
                    .doesNotContain("wrong-secret");
        }
    }

    @Test
    void aServerThatWasReachedBeforeMayBeAskedAgain() {
        String url = url("jo:" + TOKEN + "@");
        GitRepository repository = new GitRepository(directory.resolve("work"), url);
        for (int status : List.of(404, 503)) {
            failure = status;
            assertThatThrownBy(() -> repository.refresh())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining("correct the address");
        }
        failing = "command=fetch";
        assertThatThrownBy(() -> repository.refresh())
                .as("the first fetch breaks, from a server that has answered")
                .isInstanceOf(GitUnavailableException.class);
        failure = 0;
        repository.refresh();
        failing = "";
        for (int status : List.of(404, 429, 503)) {
            failure = status;
            assertThatThrownBy(() -> new GitRepository(directory.resolve("work"), url).refresh())
                    .isInstanceOf(GitUnavailableException.class);
        }
        for (int status : List.of(401, 403)) {
            failure = status;
            assertThatThrownBy(() -> repository.refresh())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining("credential helper");
        }
        failure = 0;
        assertThatThrownBy(() -> new GitRepository(directory.resolve("work"), url("jo:no@")).refresh())
                .as("it has worked, and is refused now")
                .isInstanceOf(GitException.class)
                .hasMessageContaining("credential helper");
    }
}
