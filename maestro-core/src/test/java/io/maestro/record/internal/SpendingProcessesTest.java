package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.CostScope;
import io.maestro.record.PostgresServer;
import io.maestro.testing.Campaign;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that share a record spend together what a cap allows, and one request more at most. */
@Tag("campaign")
@Full("JVMs; SpendingContractTest has the same with threads and stores")
class SpendingProcessesTest {
    private static final int THREADS = 4;
    private static final long LIMIT_MINUTES = 30;

    /** Of what the requests would cost on average. */
    private static final BigDecimal PART = new BigDecimal("0.8");

    private static final BigDecimal AVERAGE = Crowd.DEAREST.multiply(new BigDecimal("0.25"));

    @TempDir
    Path directory;

    @Test
    void allTogetherExceedTheCapByOneRequestAtMost() throws Exception {
        int count = 8;
        int requests = Campaign.number(1_600);
        BigDecimal cap = AVERAGE.multiply(PART).multiply(BigDecimal.valueOf(requests));
        long seed = Campaign.seed("spending of processes");
        String url = PostgresServer.newRecordUrl();
        List<Process> processes = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                processes.add(ChildJvm.of(
                                Crowd.class,
                                url,
                                "p" + i,
                                String.valueOf(seed + i * 1000L),
                                cap.toPlainString(),
                                String.valueOf(requests / count),
                                String.valueOf(THREADS),
                                directory.resolve("paid-" + i).toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log-" + i).toFile())
                        .start());
            }
            for (int i = 0; i < count; i++) {
                assertThat(processes.get(i).waitFor(LIMIT_MINUTES, TimeUnit.MINUTES))
                        .isTrue();
                assertThat(processes.get(i).exitValue())
                        .as(Files.readString(directory.resolve("log-" + i)))
                        .isZero();
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        BigDecimal paid = BigDecimal.ZERO;
        for (int i = 0; i < count; i++) {
            for (String line : Files.readAllLines(directory.resolve("paid-" + i))) {
                paid = paid.add(new BigDecimal(line));
            }
        }
        System.out.println(count + " processes, " + requests + " requests: " + paid + " of " + cap);
        assertThat(paid).as("seed %d", seed).isBetween(cap, cap.add(Crowd.DEAREST));
        try (Store store = Backend.open(url)) {
            assertThat(store.spending().spent(CostScope.TOTAL, "")).isEqualByComparingTo(paid);
        }
    }
}
