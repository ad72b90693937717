package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.CostScope;
import io.maestro.record.internal.Spending.CostReservation;
import io.maestro.record.internal.Spending.Refusal;
import io.maestro.testing.Campaign;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A cap is exceeded by one request at most, on every database. */
@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class SpendingContractTest {
    private static final Map<CostScope, BigDecimal> NO_CAP = Map.of();

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private String url;
    private Store store;
    private Spending spending;
    private int number;

    @BeforeEach
    void open() {
        url = backend.newRecord(directory);
        store = Backend.open(url);
        spending = store.spending();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CostReservation request(String sessionId, String storyId, String specId, String most) {
        return new CostReservation(
                "r" + ++number, sessionId, storyId, specId, 1, "coder-001", "CODING", "m", new BigDecimal(most));
    }

    private static Map<CostScope, BigDecimal> cap(CostScope scope, String dollars) {
        return Map.of(scope, new BigDecimal(dollars));
    }

    private void spend(String storyId, String specId, String dollars) {
        CostReservation request = request("s1", storyId, specId, dollars);
        assertThat(spending.reserve(request, NO_CAP)).isEmpty();
        spending.settle(request, new BigDecimal(dollars));
    }

    private BigDecimal spent(CostScope scope, String id) {
        return spending.spent(scope, id).stripTrailingZeros();
    }

    @Test
    void addsToTheStoryTheSpecificationTheDayAndAll() {
        spend("a", "s", "1.5");
        spend("b", "s", "0.25");
        spend("c", null, "4");
        spend(null, "s", "0.000000001");
        assertThat(spent(CostScope.STORY, "a")).isEqualByComparingTo("1.5");
        assertThat(spent(CostScope.STORY, "s")).as("no story").isEqualByComparingTo("0");
        assertThat(spent(CostScope.SPEC, "s")).isEqualByComparingTo("1.750000001");
        assertThat(spent(CostScope.DAY, "")).isEqualByComparingTo("5.750000001");
        assertThat(spent(CostScope.TOTAL, "")).isEqualByComparingTo("5.750000001");
    }

    /** A sum that left its column would stop all that the record is for. */
    @Test
    void countsOnAfterAmountsThatNoRequestCosts() {
        for (String absurd : List.of("1e30", "9223372036.854775807", "1e30")) {
            CostReservation request = request("s1", "a", "s", absurd);
            assertThat(spending.reserve(request, NO_CAP)).isEmpty();
            spending.settle(request, new BigDecimal(absurd));
        }
        assertThat(spent(CostScope.TOTAL, "")).isEqualByComparingTo("3000000");
        spend("a", "s", "0.5");
        assertThat(spent(CostScope.STORY, "a")).isEqualByComparingTo("3000000.5");
    }

    @Test
    void letsARequestThroughWhileTheSumIsBelowTheCapAndNoLonger() {
        for (CostScope scope : CostScope.values()) {
            String story = scope.name();
            Map<CostScope, BigDecimal> cap = Map.of(
                    scope,
                    scope == CostScope.DAY || scope == CostScope.TOTAL
                            ? spending.spent(scope, "").add(BigDecimal.ONE)
                            : BigDecimal.ONE);
            CostReservation first = request("s1", story, story, "0.9");
            assertThat(spending.reserve(first, cap)).as("%s", scope).isEmpty();
            spending.settle(first, new BigDecimal("0.999999999"));
            CostReservation last = request("s1", story, story, "50");
            assertThat(spending.reserve(last, cap))
                    .as("one may exceed %s", scope)
                    .isEmpty();
            spending.settle(last, new BigDecimal("0.000000001"));
            assertThat(spending.reserve(request("s1", story, story, "0"), cap)).hasValueSatisfying(refusal -> {
                assertThat(refusal.scope()).isEqualTo(scope);
                assertThat(refusal.mayPass()).isFalse();
                assertThat(refusal.spent()).isEqualByComparingTo(refusal.cap());
            });
        }
    }

    @Test
    void aRefusedRequestReservesNothing() {
        spend("a", null, "3");
        assertThat(spending.reserve(request("s1", "a", null, "7"), cap(CostScope.STORY, "3")))
                .contains(new Refusal(CostScope.STORY, new BigDecimal("3"), new BigDecimal("3.00"), false));
        assertThat(spent(CostScope.TOTAL, "")).isEqualByComparingTo("3");
    }

    @Test
    void whatIsUnderWayMayPassWhileItsSessionHoldsTheLeaseAndIsSpentAfterThat() {
        store.leases().acquire(List.of(Leases.story("a")), "s1", Duration.ofHours(1));
        CostReservation open = request("s1", "a", "s", "2");
        assertThat(spending.reserve(open, NO_CAP)).isEmpty();
        for (CostScope scope : CostScope.values()) {
            assertThat(spending.reserve(request("s2", "a", "s", "1"), cap(scope, "2")))
                    .as("%s", scope)
                    .hasValueSatisfying(refusal -> assertThat(refusal.mayPass()).isTrue());
        }

        store.leases().releaseAllBut("s2"); // s1 is dead
        for (CostScope scope : CostScope.values()) {
            assertThat(spending.reserve(request("s2", "a", "s", "1"), cap(scope, "2")))
                    .as("%s", scope)
                    .hasValueSatisfying(refusal -> assertThat(refusal.mayPass()).isFalse());
        }

        spending.settle(open, new BigDecimal("0.5")); // it lived after all
        assertThat(spending.reserve(request("s2", "a", "s", "1"), cap(CostScope.SPEC, "2")))
                .isEmpty();
        assertThat(spent(CostScope.SPEC, "s")).isEqualByComparingTo("1.5");
    }

    @Test
    void whatWasNeverReservedCountsAndFractionsAreRoundedUp() {
        spending.settle(request("s1", "a", null, "0"), new BigDecimal("0.0000000001"));
        assertThat(spent(CostScope.STORY, "a")).isEqualByComparingTo("0.000000001");
    }

    @Test
    void eachDayBeginsAnew() throws SQLException {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        execute("INSERT INTO spending (scope, nanodollars) VALUES ('day/" + today.minusDays(1) + "', 9000000000)");
        assertThat(spending.reserve(request("s1", "a", null, "0"), cap(CostScope.DAY, "5")))
                .isEmpty();
        // At midnight it may be tomorrow by now.
        for (LocalDate day : List.of(today, today.plusDays(1))) {
            execute("INSERT INTO spending (scope, nanodollars) VALUES ('day/" + day
                    + "', 9000000000) ON CONFLICT (scope) DO UPDATE SET nanodollars = 9000000000");
        }
        assertThat(spending.reserve(request("s1", "a", null, "0"), cap(CostScope.DAY, "5")))
                .hasValueSatisfying(refusal -> assertThat(refusal.scope()).isEqualTo(CostScope.DAY));
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static AuditLog.Message answer(String state, String model, Usage usage) {
        return new AuditLog.Message(
                "s1",
                "042",
                1,
                "coder-001",
                state,
                0,
                "assistant",
                "[]",
                model,
                null,
                usage.inputTokens(),
                usage.outputTokens(),
                usage.cacheReadTokens(),
                usage.cacheWriteTokens(),
                Samples.AT);
    }

    @Test
    void addsUpWhatEachAgentHasCostInEachState() {
        Samples.begin(store);
        Usage usage = new Usage(1, 20, 300, 4000);
        for (int i = 0; i < 2; i++) {
            CostReservation request = request("s1", "042", null, "5");
            assertThat(spending.reserve(request, NO_CAP)).isEmpty();
            store.recordAnswer(answer("CODING", "m", usage), request, new BigDecimal("0.25"));
        }
        store.recordMessage(answer("CODING", "m", usage)); // without a price
        store.recordMessage(answer("PLANNING", "n", usage));
        store.recordMessage(Samples.message("042", "[]"));
        spending.reserve(request("s1", "042", null, "7"), NO_CAP); // killed
        assertThat(store.costs("042"))
                .containsExactlyInAnyOrder(
                        cost("CODING", "m", 2, new Usage(2, 40, 600, 8000), new BigDecimal("0.50"), true),
                        cost("CODING", "m", 1, usage, null, true),
                        cost("CODING", "m", 1, Usage.NONE, new BigDecimal("7.00"), false),
                        cost("PLANNING", "n", 1, usage, null, true));
        assertThat(store.costs("043")).isEmpty();
        assertThat(spent(CostScope.STORY, "042")).isEqualByComparingTo("7.5");
        assertThat(store.messages("042")).hasSize(5);
    }

    private static AuditLog.Cost cost(
            String state, String model, long requests, Usage usage, BigDecimal dollars, boolean answered) {
        return new AuditLog.Cost(1, "coder-001", state, model, requests, usage, dollars, answered);
    }

    /** The model of it: a list of what is settled and what is open. */
    private static final class Model {
        final Map<String, Long> settled = new HashMap<>();
        final Map<String, CostReservation> open = new HashMap<>();

        long sum(String story) {
            return settled.getOrDefault(story, 0L)
                    + open.values().stream()
                            .filter(request -> story.isEmpty() || story.equals(request.storyId()))
                            .mapToLong(request -> Spending.nanodollars(request.most()))
                            .sum();
        }

        void settle(CostReservation request, long nanodollars) {
            open.remove(request.id());
            for (String story : List.of("", String.valueOf(request.storyId()))) {
                settled.merge(story, nanodollars, Long::sum);
            }
        }
    }

    @Test
    void agreesWithItsModelWhateverComesInWhateverOrder() {
        long seed = Campaign.seed("spending");
        Random random = new Random(seed);
        Model model = new Model();
        for (int step = 0; step < Campaign.number(300); step++) {
            String story = "s" + random.nextInt(3);
            List<CostReservation> open = List.copyOf(model.open.values());
            if (random.nextInt(20) == 0) {
                store.close();
                store = Backend.open(url);
                spending = store.spending();
            } else if (random.nextBoolean() && !open.isEmpty()) {
                CostReservation request = open.get(random.nextInt(open.size()));
                long cost = random.nextLong(Spending.nanodollars(request.most()) + 1);
                spending.settle(request, Spending.dollars(cost));
                model.settle(request, cost);
            } else {
                CostReservation request = request("s1", story, null, String.valueOf(random.nextInt(100)));
                BigDecimal cap = BigDecimal.valueOf(1 + random.nextInt(2000));
                CostScope scope = random.nextBoolean() ? CostScope.STORY : CostScope.TOTAL;
                long sum = model.sum(scope == CostScope.STORY ? story : "");
                Optional<Refusal> refusal = spending.reserve(request, Map.of(scope, cap));
                assertThat(refusal.isEmpty())
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(Spending.dollars(sum).compareTo(cap) < 0);
                if (refusal.isEmpty()) {
                    model.open.put(request.id(), request);
                }
            }
            assertThat(Spending.nanodollars(spending.spent(CostScope.STORY, story)))
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(model.sum(story));
            assertThat(Spending.nanodollars(spending.spent(CostScope.TOTAL, "")))
                    .isEqualTo(model.sum(""));
        }
    }

    /** Two stores, as two processes have them, and the threads of each. */
    @Test
    void manyAtOnceExceedTheCapByOneRequestAtMost() throws Exception {
        Map<CostScope, BigDecimal> cap = cap(CostScope.TOTAL, "25");
        ConcurrentLinkedQueue<BigDecimal> paid = new ConcurrentLinkedQueue<>();
        long seed = Campaign.seed("crowd");
        try (Store other = Backend.open(url)) {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                Spending mine = (thread % 2 == 0 ? store : other).spending();
                tasks.add(new Crowd(mine, "t" + thread, seed + thread, cap, 250, paid::add)::run);
                store.leases().acquire(List.of(Leases.story("t" + thread)), "t" + thread, Duration.ofHours(1));
            }
            Parallel.run(tasks);
        }
        assertThat(sum(paid.stream()))
                .as("seed %d", seed)
                .isBetween(new BigDecimal("25"), new BigDecimal("25").add(Crowd.DEAREST))
                .isEqualByComparingTo(spent(CostScope.TOTAL, ""));
    }

    /** Each of them has a store of its own, as processes have; each request reaches the cap. */
    @Test
    void ofManyWhoAskAtTheSameMomentOneIsLetThrough() throws Exception {
        int rounds = 60;
        int stores = 4;
        AtomicIntegerArray granted = new AtomicIntegerArray(rounds);
        CyclicBarrier together = new CyclicBarrier(stores);
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < stores; i++) {
            String name = "t" + i;
            tasks.add(() -> {
                try (Store mine = Backend.open(url)) {
                    for (int round = 0; round < rounds; round++) {
                        CostReservation request = new CostReservation(
                                name + "-" + round,
                                name,
                                "story-" + round,
                                null,
                                1,
                                "coder-001",
                                "CODING",
                                "m",
                                BigDecimal.TEN);
                        together.await(60, TimeUnit.SECONDS);
                        if (mine.spending()
                                .reserve(request, cap(CostScope.STORY, "1"))
                                .isEmpty()) {
                            granted.incrementAndGet(round);
                        }
                    }
                }
                return null;
            });
        }
        Parallel.run(tasks);
        assertThat(IntStream.range(0, rounds).map(granted::get)).containsOnly(1);
    }

    private static BigDecimal sum(Stream<BigDecimal> amounts) {
        return amounts.reduce(BigDecimal.ZERO, BigDecimal::add);
    }
}
