package io.maestro.record;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class PostgresServerTest {
    @TempDir
    Path directory;

    /** Starts a server, prints its process id and its directory, and leaves at once. */
    public static final class Child {
        private Child() {}

        public static void main(String[] args) throws Exception {
            try (Connection connection = PostgresServer.newDatabase().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row =
                            statement.executeQuery("SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1),"
                                    + " current_setting('data_directory')")) {
                row.next();
                System.out.println(row.getString(1));
                System.out.println(row.getString(2));
            }
            System.exit(3);
        }
    }

    @Test
    @Full("it is about the tests' own server")
    void leavesNoProcessAndNoFileWhenTheJvmExits() throws Exception {
        Process child = ChildJvm.of(directory, Child.class)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long server;
        Path data;
        try (BufferedReader out = child.inputReader()) {
            server = Long.parseLong(out.readLine());
            data = Path.of(out.readLine());
        } finally {
            boolean ended = child.waitFor(60, TimeUnit.SECONDS);
            child.destroyForcibly();
            assertThat(ended).isTrue();
        }

        assertThat(child.exitValue()).isEqualTo(3);
        ProcessHandle.of(server)
                .ifPresent(process ->
                        process.onExit().orTimeout(60, TimeUnit.SECONDS).join());
        assertThat(data.getParent()).doesNotExist();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void givesEachItsOwnDatabase() throws Exception {
        String url = PostgresServer.newDatabaseUrl();

        try (Connection one = PostgresServer.connectTo(url).getConnection();
                Connection same = PostgresServer.connectTo(url).getConnection();
                Connection other = PostgresServer.newDatabase().getConnection()) {
            assertThat(one.getCatalog()).isEqualTo(same.getCatalog()).isNotEqualTo(other.getCatalog());
        }
    }
}
