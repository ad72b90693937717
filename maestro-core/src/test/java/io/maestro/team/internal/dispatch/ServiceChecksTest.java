package io.maestro.team.internal.dispatch;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.git.Forge;
import io.maestro.internal.RemoteServer;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Samples;
import io.maestro.record.internal.Store;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked before a model is paid, and how often. */
class ServiceChecksTest {
    @TempDir
    Path directory;

    private final AtomicInteger asked = new AtomicInteger();
    private Supplier<Boolean> answer = () -> true;

    private final LlmClient model = new LlmClient() {
        @Override
        public String model() {
            return "m";
        }

        @Override
        public LlmResponse complete(LlmRequest request) {
            throw new AssertionError("a check asks no model");
        }

        @Override
        public boolean check() {
            asked.incrementAndGet();
            return answer.get();
        }
    };

    /** A forge that is only looked at. */
    private record LookedAt(Runnable onCheck) implements Forge {
        @Override
        public String id() {
            return "looked-at";
        }

        @Override
        public Optional<String> propose(Proposal proposal) {
            throw new AssertionError();
        }

        @Override
        public Outcome merge(Proposal proposal) {
            throw new AssertionError();
        }

        @Override
        public Optional<String> check(String remote, String targetBranch) {
            onCheck.run();
            return Optional.empty();
        }
    }

    private Store store() {
        return Store.sqlite(directory.resolve("r.db"), text -> text);
    }

    @Test
    void whatHasAnsweredIsNotAskedAgainAndWhatHasFailedIs() {
        try (Store store = store()) {
            AtomicInteger looks = new AtomicInteger();
            ServiceChecks checks =
                    new ServiceChecks(List.of(model, model), new LookedAt(looks::incrementAndGet), store);
            answer = () -> {
                throw new MaestroException("wrong key");
            };
            assertThatThrownBy(() -> checks.require("r", "main")).hasMessage("wrong key");
            assertThat(looks)
                    .as("a forge is not asked for a story that cannot be begun")
                    .hasValue(0);
            answer = () -> true;
            for (int story = 0; story < 5; story++) {
                checks.require("r", "main");
            }
            assertThat(asked).hasValue(2);
            assertThat(looks).hasValue(1);
            checks.require("r", "other");
            assertThat(looks).hasValue(2);
        }
    }

    @Test
    void storiesThatComeTogetherShareOneFailure() throws InterruptedException {
        try (Store store = store()) {
            ServiceChecks checks = new ServiceChecks(List.of(model), new LookedAt(() -> {}), store);
            List<Thread> stories = new ArrayList<>();
            CountDownLatch failed = new CountDownLatch(8);
            answer = () -> {
                long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
                while (stories.stream()
                                        .filter(one -> one.getState() == Thread.State.WAITING)
                                        .count()
                                < 7
                        && System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
                throw new MaestroException("down");
            };
            for (int story = 0; story < 8; story++) {
                stories.add(new Thread(() -> {
                    try {
                        checks.require("r", "main");
                    } catch (MaestroException e) {
                        failed.countDown();
                    }
                }));
            }
            stories.forEach(Thread::start);
            for (Thread story : stories) {
                story.join(20_000);
            }
            assertThat(failed.getCount()).isZero();
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void aForgeThatIsSilentIsWaitedForNoLongerThanTheLimit() {
        CountDownLatch end = new CountDownLatch(1);
        try (Store store = store()) {
            ServiceChecks checks = new ServiceChecks(
                    List.of(),
                    new LookedAt(() -> {
                        try {
                            end.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }),
                    store,
                    Duration.ofMillis(100));
            assertThatThrownBy(() -> checks.require("r", "main"))
                    .isInstanceOf(RetriableException.class)
                    .hasMessageStartingWith("the forge 'looked-at' has sent no complete answer within 100 ms")
                    .satisfies(thrown ->
                            assertThat(RemoteServer.isFirstContact(thrown)).isTrue());
        } finally {
            end.countDown();
        }
    }

    @Test
    void aModelThatTheRecordKnowsToHaveAnsweredIsAnOutage() {
        LlmClient nobody = AnthropicClient.builder("m")
                .apiKey("key-of-a-test")
                .baseUrl(URI.create("https://api.invalid"))
                .build();
        try (Store store = store()) {
            ServiceChecks checks = new ServiceChecks(List.of(nobody), new LookedAt(() -> {}), store);
            assertThatThrownBy(() -> checks.require("r", "main"))
                    .hasMessageContaining("does not resolve")
                    .satisfies(thrown ->
                            assertThat(RemoteServer.isFirstContact(thrown)).isTrue());
            store.recordMessage(new AuditLog.Message(
                    "s1", "1", 1, "coder-001", "CODING", 0, "assistant", "[]", "m", null, 1, 1, 0, 0, Samples.AT));
            assertThatThrownBy(() -> checks.require("r", "main"))
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("does not resolve")
                    .satisfies(thrown ->
                            assertThat(RemoteServer.isFirstContact(thrown)).isFalse());
        }
    }
}
