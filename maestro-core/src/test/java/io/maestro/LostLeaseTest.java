package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that was thought dead, since it stood still for too long, wakes up. */
@Timeout(90)
class LostLeaseTest {
    @TempDir
    Path directory;

    private final AtomicInteger merges = new AtomicInteger();

    private final class CountingForge implements Forge {
        private final Forge real = new LocalForge();

        @Override
        public String id() {
            return real.id();
        }

        @Override
        public Optional<String> propose(Proposal proposal) {
            return real.propose(proposal);
        }

        @Override
        public Outcome merge(Proposal proposal) {
            merges.incrementAndGet();
            return real.merge(proposal);
        }
    }

    /** Its own work may not be what is wanted any more: the architect may have rewritten the story meanwhile. */
    @Test
    void whatAnotherProcessHasTakenOverIsNotMergedHere() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        AtomicReference<Maestro> own = new AtomicReference<>();
        Architect slow = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.MERGE) {
                    takeOver(own.get().sessionId());
                }
                return super.reply(request);
            }
        };
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "a")))
                .turn(Reply.toolCall("done", Map.of("summary", "wrote a.txt")))
                .build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(slow)
                .forge(new CountingForge())
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .build()) {
            own.set(maestro);
            Submission<StoryResult> story = maestro.submit(
                    Story.builder("042", "A").content("a").express().build());
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (maestro.auditLog().effects("042").stream()
                            .noneMatch(effect -> effect.kind().equals("MERGE") && effect.reply() != null)
                    && System.nanoTime() < deadline) {
                LockSupport.parkNanos(1_000_000);
            }
            story.cancel();
            assertThat(story.future().get(60, TimeUnit.SECONDS).error())
                    .contains("cancelled here; another process works on it");
            assertThat(merges).hasValue(0);
        }
    }

    private void takeOver(String from) {
        try (Store store = Store.sqlite(directory.resolve("project/.maestro/maestro.db"), text -> text)) {
            store.beginSession(new AuditLog.Session("other", "url", Instant.now(), 1, null));
            store.leases().release(Leases.story("042"), from);
            assertThat(store.leases().acquire(List.of(Leases.story("042")), "other", Duration.ofHours(1)))
                    .isPresent();
        }
    }
}
