package io.maestro.monitor.internal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.record.AuditLog;
import io.maestro.team.internal.MonitorSource;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The stories and specifications at a glance. Reads only what has changed, and all of it now and then, since other processes change
 * it, too. Safe for use by several threads.
 */
final class Board implements MaestroListener {
    /** Requests that a page shows. */
    private static final int MOST_REQUESTS = 100;

    private static final int PAGE = 500;
    static final long ALL_AGAIN_NANOS = 10_000_000_000L;
    static final long FRESH_NANOS = 200_000_000L;

    private final MonitorSource source;
    private final LongSupplier nanoTime;
    private final BoardJson json;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, ObjectNode> stories = new TreeMap<>();
    private final Map<String, ObjectNode> specs = new TreeMap<>();

    /** Told by events. */
    private final Set<String> changed = ConcurrentHashMap.newKeySet();

    /** A story has moved, perhaps in the merge queue. */
    private final AtomicBoolean moved = new AtomicBoolean();

    private List<AuditLog.QueuedMerge> queue = List.of();

    /** How often something has changed of which no event says what. */
    private final AtomicInteger unknown = new AtomicInteger(1);

    private int unknownRead;
    private long allReadAt;
    private long madeAt;
    private byte @Nullable [] made;

    Board(MonitorSource source) {
        this(source, System::nanoTime);
    }

    Board(MonitorSource source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
        this.json = new BoardJson(source.log(), source.limits());
    }

    @Override
    public void onEvent(MaestroEvent event) {
        if (event instanceof MaestroEvent.EventsLost) {
            unknown.incrementAndGet();
        } else if (changesRow(event)) {
            if (event instanceof MaestroEvent.StateChanged || event instanceof MaestroEvent.MergeQueued) {
                moved.set(true);
            }
            changed.add(event.storyId());
        }
    }

    /** Calls and text come often, and change nothing that is read from the record. */
    private static boolean changesRow(MaestroEvent event) {
        return !(event instanceof MaestroEvent.TextWritten
                || event instanceof MaestroEvent.ModelCalled
                || event instanceof MaestroEvent.ToolStarted
                || event instanceof MaestroEvent.ToolProgressed
                || event instanceof MaestroEvent.ToolFinished
                || event instanceof MaestroEvent.ChatPosted);
    }

    /** The board as JSON; many who ask at the same time get the same. */
    byte[] json() {
        lock.lock();
        try {
            byte @Nullable [] known = made;
            if (known != null && nanoTime.getAsLong() - madeAt < FRESH_NANOS) {
                return known;
            }
            byte[] fresh = MonitorResponses.bytes(make());
            made = fresh;
            madeAt = nanoTime.getAsLong();
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    /** People have done something: what is made next has it. */
    void outdated() {
        lock.lock();
        try {
            made = null;
            unknown.incrementAndGet();
        } finally {
            lock.unlock();
        }
    }

    private ObjectNode make() {
        // Before it is read: what changes from now on is read the next time.
        int now = unknown.get();
        if (now != unknownRead || nanoTime.getAsLong() - allReadAt >= ALL_AGAIN_NANOS) {
            readAll();
            unknownRead = now;
            allReadAt = nanoTime.getAsLong();
        }
        if (moved.getAndSet(false)) {
            queue = source.log().mergeQueue();
        }
        for (Iterator<String> ids = changed.iterator(); ids.hasNext(); ) {
            String id = ids.next();
            // Before it is read, too.
            ids.remove();
            read(id);
        }
        ObjectNode board = JsonNodeFactory.instance.objectNode();
        board.putArray("specs").addAll(specs.values());
        board.putArray("stories").addAll(stories.values());
        ArrayNode paused = board.putArray("paused");
        source.work().paused().forEach(paused::add);
        ArrayNode merges = board.putArray("queue");
        queue.forEach(one -> merges.addObject()
                .put("target", one.target())
                .put("story", one.storyId())
                .put("waits", one.waits()));
        ArrayNode agents = board.putArray("agents");
        source.agents().get().forEach(agent -> BoardJson.agent(agents.addObject(), agent));
        ArrayNode inbox = board.putArray("inbox");
        source.inbox().pending(0, MOST_REQUESTS).rows().forEach(item -> BoardJson.request(inbox.addObject(), item));
        return board;
    }

    /** A story, or a specification: no two of them have the same id. */
    private void read(String id) {
        AuditLog log = source.log();
        Optional<AuditLog.StoryRecord> story = specs.containsKey(id) ? Optional.empty() : log.story(id);
        if (story.isPresent()) {
            stories.put(id, json.story(story.get(), Used.by(log, id, 1)));
        } else {
            log.spec(id).ifPresent(spec -> specs.put(id, BoardJson.spec(spec, Used.by(log, id, 1))));
        }
    }

    private void readAll() {
        moved.set(true);
        Map<String, Used> used = Used.byEach(source.log());
        stories.clear();
        String last = "";
        for (List<AuditLog.StoryRecord> page = source.log().stories(last, PAGE);
                !page.isEmpty();
                page = source.log().stories(last, PAGE)) {
            page.forEach(row -> stories.put(row.id(), json.story(row, used.getOrDefault(row.id(), Used.NOTHING))));
            last = page.get(page.size() - 1).id();
        }
        specs.clear();
        source.log()
                .specs()
                .forEach(row -> specs.put(row.id(), BoardJson.spec(row, used.getOrDefault(row.id(), Used.NOTHING))));
    }
}
