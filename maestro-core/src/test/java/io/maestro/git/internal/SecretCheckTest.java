package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.git.GitOptions;
import io.maestro.secrets.SecretRedactor;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which secrets must not be committed, and which only look like some. */
class SecretCheckTest {
    private static final String KNOWN = "my-very-own-value-99";
    private static final String TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    private static final String KEY = "-----BEGIN RSA PRIVATE KEY-----\n"
            + "MIIEpAIBAAKCAQEAx5Zk0dF3hQ8nT2vY7wLp\n".repeat(12) + "-----END RSA PRIVATE KEY-----\n";

    @TempDir
    Path directory;

    private TestRepository people;
    private Workspace workspace;
    private Path root;

    @BeforeEach
    void create() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        people.commit(
                "Old",
                Map.of(
                        "old.txt",
                        "first\nold=" + TOKEN + "\nlast\n",
                        "old.bin",
                        "\0" + KNOWN + "\0",
                        "old.pem",
                        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
                        "old.sh",
                        "one\nexport T=ghp_\\\nX\nlast\n"));
        open(true);
    }

    private void open(boolean tokens) {
        SecretRedactor redactor = SecretRedactor.builder()
                .secret(KNOWN)
                .secret("postgres")
                .secret("hunter")
                .rule("badge", "BDG-", "BDG-(?:[0-9]{6}|EXAMPLE)")
                .build();
        GitRepository repository = new GitRepository(
                directory.resolve("work"),
                people.bare.toString(),
                GitOptions.defaults(),
                new SecretCheck(redactor, List.of(KNOWN, "hunter"), tokens));
        workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        root = workspace.directory();
    }

    private AbstractThrowableAssert<?, ?> refused() {
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThatThrownBy(() -> workspace.commit(snapshot, "S", "")).isInstanceOf(WorkspaceProblem.class);
        assertThatThrownBy(workspace::push).hasMessageContaining("nothing to push");
        return assertThatThrownBy(() -> workspace.requireCommittable(snapshot))
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("EXAMPLE")
                .hasMessageNotContainingAny(KNOWN, TOKEN.substring(16), "MIIEp", "BDG-123456");
    }

    private void taken() {
        assertThatCode(() -> workspace.commit(workspace.snapshot(), "S", "")).doesNotThrowAnyException();
    }

    @Test
    void fileAndLineAreNamedAndNothingIsCommitted() throws IOException {
        write(root, "conf/a.txt", "1\n2\nkey = " + KNOWN + " # " + TOKEN + "\n4\n" + TOKEN + "\n");
        write(root, "README.md", "# App\n\none\ntwo\n" + KEY + "three\n");
        write(root, KNOWN + ".txt", "x\n");
        Files.createSymbolicLink(root.resolve("link"), Path.of("/" + TOKEN));
        refused()
                .hasMessageContaining("\n- conf/a.txt:3 holds a secret of the host\n")
                .hasMessageContaining("\n- conf/a.txt:3 holds a secret (github-token)\n")
                .hasMessageContaining("\n- conf/a.txt:5 holds a secret (github-token)\n")
                .hasMessageContaining("\n- README.md:5 holds a secret (private-key)\n")
                .hasMessageContaining("\n- the name of a file holds a secret of the host\n")
                .hasMessageContaining("\n- link:1 holds a secret (github-token)\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE"})
    void knownValuesAreFoundInFilesThatAreNoText(String charset) throws IOException {
        byte[] content = ("\0\1\2".repeat(360_000) + "key=" + KNOWN + "\0").getBytes(Charset.forName(charset));
        Files.write(root.resolve("data.bin"), content);
        refused().hasMessageContaining("\n- data.bin holds a secret of the host\n");
        Files.write(root.resolve("data.bin"), ("\0\1 " + TOKEN + "\n").getBytes(Charset.forName(charset)));
        refused().hasMessageContaining("\n- data.bin holds a secret (github-token)\n");
        Files.write(root.resolve("old.bin"), ("\0\1 old " + KNOWN).getBytes(Charset.forName(charset)));
        Files.delete(root.resolve("data.bin"));
        taken();
    }

    @Test
    void aKeyIsNotTakenForTheHeaderOfAnotherOne() throws IOException {
        String key = KEY.replace("RSA ", "");
        Files.delete(root.resolve("old.pem"));
        write(root, "new.pem", key + key.replace('x', 'y'));
        refused()
                .hasMessageContaining("\n- new.pem:1 holds a secret (private-key)\n")
                .hasMessageContaining("\n- new.pem:15 holds a secret (private-key)\n");
    }

    @Test
    void aTokenThatAChangeCompletesIsFound() throws IOException {
        write(root, "old.sh", "one\nexport T=ghp_\\\n" + TOKEN.substring(4).replace('9', '8') + "\nlast\n");
        refused().hasMessageContaining("\n- old.sh:2 holds a secret (github-token)\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"_example", "________", "EXAMPLE", "xxxx"})
    void whatStandsBehindATokenDoesNotMakeItUp(String tail) throws IOException {
        write(root, "test.txt", TOKEN.replace('9', '8') + tail + "\n" + "BDG-EXAMPLE\n");
        refused().hasMessageContaining("\n- test.txt:1 holds a secret (github-token)\n");
    }

    @Test
    void aVeryLongTextIsLookedThrough() throws IOException {
        write(root, "long.txt", "some words\n".repeat(900_000) + KNOWN + "\n");
        refused().hasMessageContaining("\n- long.txt holds a secret of the host\n");
        write(root, "long.txt", "some words\n".repeat(900_000) + TOKEN.replace('9', '8') + "\n");
        refused().hasMessageContaining("\n- long.txt holds a secret (github-token)\n");
    }

    @Test
    void whatWasThereBeforeMayStayAndMove() throws IOException {
        write(root, "old.txt", "new first\nold=" + TOKEN + "\nnew last\n");
        Files.write(root.resolve("old.bin"), ("\0\1" + KNOWN + "\0").getBytes(StandardCharsets.UTF_8));
        taken();
        Files.delete(root.resolve("old.txt"));
        write(root, "moved/new.txt", "another=" + TOKEN + "\n");
        taken();
        write(root, "moved/new.txt", "another=" + TOKEN.replace('9', '8') + "\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThatThrownBy(() -> workspace.commit(snapshot, "S", "")).hasMessageContaining("moved/new.txt:1");
    }

    /** As tests, documents and other projects have them. */
    @Test
    void whatOnlyLooksLikeASecretIsCommitted() throws IOException {
        List<String> lines = List.of(
                "password = \"changeit\"",
                "spring.datasource.password=s3cr3tT3st99",
                "POSTGRES_PASSWORD: postgres",
                "api_key: 'abcdef0123456789abcdef'",
                "Authorization: Bearer abcdef0123456789abcdef",
                "jdbc:postgresql://user:pw12345@localhost/db",
                "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
                "AKIAIOSFODNN7EXAMPLE",
                "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                "ghp_000000000000000000000000000000000000",
                ".sk-spinner-three-bounce-child-2 { }",
                "if (line.startsWith(\"-----BEGIN PRIVATE KEY-----\")) {",
                "[REDACTED:github-token]");
        for (int i = 0; i < lines.size(); i++) {
            write(root, "test" + i + ".txt", "first\n" + lines.get(i) + "\nlast\n");
        }
        taken();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2M3n4",
                "sk-ant-api03-abcdefghijklmnopqrst0123",
                "AKIAABCDEFGHIJ234567",
                "glpat-ABCdef0123456789abcd",
                "xoxb-123456789012-abcdefGHIJKL",
                "BDG-123456"
            })
    void tokensThatAreToldByTheirFormAreNotUnlessTheHostSaysSo(String token) throws IOException {
        write(root, "test.txt", "first\ntoken = " + token + "\nlast\n");
        refused().hasMessageContaining("test.txt:2");
        open(false);
        write(root, "test.txt", "first\ntoken = " + token + "\nlast\n");
        taken();
        write(root, "test.txt", "first\nhunter\nlast\n");
        assertThatThrownBy(() -> workspace.commit(workspace.snapshot(), "S", ""))
                .hasMessageContaining("test.txt:2 holds a secret of the host");
    }

    /** Other rules look at these places, and say less about what stands there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ghp_0123456789abcdefghijABCDEFGHIJ012345",
                "github_pat_11ABCDEFG0abcdefghijkl_0123456789abcdefghijABCDEFGHIJ0123456789",
                "glpat-ABCdef0123456789abcd",
                "sk-ant-api03-abcdefghijklmnopqrst0123",
                "AKIAABCDEFGHIJ234567",
                "xoxb-123456789012-abcdefGHIJKL",
                KNOWN
            })
    void tokensAreStoppedWhereverTheyStand(String token) throws IOException {
        List<String> lines = List.of(
                "https://x-access-token:" + token + "@github.com",
                "https://x-access-token:" + token + "@git.example.org/xxxx.git",
                "https://oauth2:" + token + "@gitlab.com/a.git",
                "https://" + token + "@github.com/a.git",
                "Cookie: session=" + token + "; id=EXAMPLE",
                "Authorization: Bearer " + token,
                "password = '" + token + "'",
                "{\"auths\":{\"ghcr.io\":{\"auth\":\"" + base64("me:" + token) + "\"}}}",
                "data: " + base64("a file with " + token + "\n"),
                "url=https%3A%2F%2Fme%3A" + token + "%40github.com");
        for (int i = 0; i < lines.size(); i++) {
            write(root, "test" + i + ".txt", "first\n" + lines.get(i) + "\nlast\n");
        }
        AbstractThrowableAssert<?, ?> refused = refused();
        for (int i = 0; i < lines.size(); i++) {
            refused.hasMessageContaining("\n- test" + i + ".txt:2 holds a secret");
        }
    }

    /** One that is made up stays so when it is encoded, or stands in a URL. */
    @Test
    void whatIsMadeUpIsCommittedWhereverItStands() throws IOException {
        List<String> tokens = List.of(
                "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                "AKIAIOSFODNN7EXAMPLE",
                "sk-someclass1_of_a_style",
                "postgres");
        for (int i = 0; i < tokens.size(); i++) {
            String token = tokens.get(i);
            write(
                    root,
                    "test" + i + ".txt",
                    "https://x-access-token:" + token + "@github.com\nCookie: session=" + token + "\n"
                            + base64("me and " + token + "\n") + "\npassword=" + token + "-x\n");
        }
        taken();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void nothingOfItIsPushed() throws IOException {
        write(root, "conf.txt", KNOWN + "\n");
        refused();
        write(root, "conf.txt", "${KEY}\n");
        taken();
        workspace.push();
        String objects = git(people.bare, "cat-file", "--batch-all-objects", "--batch");
        assertThat(objects).contains("${KEY}");
        assertThat(objects.split(KNOWN, -1)).as("only in old.bin").hasSize(2);
    }
}
