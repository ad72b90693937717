package io.maestro.monitor.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.AgentStatus;
import io.maestro.audit.AuditLog;
import io.maestro.audit.CostQuery;
import io.maestro.audit.ResultPage;
import io.maestro.audit.Store;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.inbox.InboxItem;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The stories at a glance. Reads only what has changed, and all of it now and then, since other processes change it, too. Safe for
 * use by several threads.
 */
final class Board implements MaestroListener {
    /** Requests that a page shows. */
    private static final int MOST_REQUESTS = 100;

    private static final int PAGE = 500;
    private static final long ALL_ANEW_NANOS = 10_000_000_000L;
    private static final long FRESH_NANOS = 200_000_000L;

    private final MonitorSource source;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, ObjectNode> stories = new TreeMap<>();

    /** Told by events. */
    private final Set<String> changed = ConcurrentHashMap.newKeySet();

    private long allReadAt = System.nanoTime() - ALL_ANEW_NANOS;
    private long madeAt;
    private byte @Nullable [] made;

    Board(MonitorSource source) {
        this.source = source;
    }

    @Override
    public void onEvent(MaestroEvent event) {
        changed.add(event.storyId());
    }

    /** The board as JSON; many who ask at the same time get the same. */
    byte[] json() {
        lock.lock();
        try {
            byte @Nullable [] known = made;
            if (known != null && System.nanoTime() - madeAt < FRESH_NANOS) {
                return known;
            }
            byte[] fresh = Answers.bytes(make());
            made = fresh;
            madeAt = System.nanoTime();
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
            allReadAt = System.nanoTime() - ALL_ANEW_NANOS;
        } finally {
            lock.unlock();
        }
    }

    private ObjectNode make() {
        if (System.nanoTime() - allReadAt >= ALL_ANEW_NANOS) {
            readAll();
            allReadAt = System.nanoTime();
        }
        for (Iterator<String> ids = changed.iterator(); ids.hasNext(); ) {
            String id = ids.next();
            // First: what changes from now on is read the next time.
            ids.remove();
            source.log().story(id).ifPresent(row -> stories.put(id, story(row, cost(id, 1))));
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode specs = json.putArray("specs");
        source.log().specs().forEach(spec -> {
            Cost cost = cost(spec.id(), 1);
            specs.addObject()
                    .put("id", spec.id())
                    .put("title", spec.title())
                    .put("state", spec.state().name())
                    .put("error", spec.error())
                    .put("tokens", cost.tokens())
                    .put("dollars", text(cost.dollars()));
        });
        json.putArray("stories").addAll(stories.values());
        ArrayNode paused = json.putArray("paused");
        source.work().paused().forEach(paused::add);
        ArrayNode agents = json.putArray("agents");
        source.agents().get().forEach(agent -> agent(agents.addObject(), agent));
        ArrayNode inbox = json.putArray("inbox");
        source.inbox().pending(0, MOST_REQUESTS).rows().forEach(item -> request(inbox.addObject(), item));
        return json;
    }

    private void readAll() {
        Map<String, Cost> costs = costs();
        stories.clear();
        String last = "";
        for (List<Store.StoryRecord> page = source.log().stories(last, PAGE);
                !page.isEmpty();
                page = source.log().stories(last, PAGE)) {
            page.forEach(row -> stories.put(row.id(), story(row, costs.getOrDefault(row.id(), Cost.NONE))));
            last = page.get(page.size() - 1).id();
        }
    }

    /** What a story has used; null dollars where a price is not known. */
    private record Cost(long tokens, @Nullable BigDecimal dollars) {
        static final Cost NONE = new Cost(0, BigDecimal.ZERO);
    }

    /** What was used from an attempt on. */
    private Cost cost(String storyId, int from) {
        long tokens = 0;
        BigDecimal dollars = BigDecimal.ZERO;
        for (AuditLog.Cost cost : source.log().costs(storyId)) {
            if (cost.attempt() < from) {
                continue;
            }
            tokens += cost.usage().totalTokens();
            dollars = dollars == null || cost.dollars() == null ? null : dollars.add(cost.dollars());
        }
        return new Cost(tokens, dollars);
    }

    private Map<String, Cost> costs() {
        Map<String, Cost> costs = new HashMap<>();
        CostQuery query = CostQuery.by(CostQuery.Key.STORY).most(PAGE).build();
        ResultPage<AuditLog.CostSum> page = source.log().costs(query);
        while (true) {
            page.rows()
                    .forEach(sum -> costs.put(
                            sum.key(), new Cost(sum.usage().totalTokens(), sum.unpriced() > 0 ? null : sum.dollars())));
            if (page.next().isEmpty()) {
                return costs;
            }
            page = source.log().costs(query.after(page.next().get()));
        }
    }

    private static @Nullable String text(@Nullable BigDecimal dollars) {
        return dollars == null ? null : dollars.toPlainString();
    }

    private ObjectNode story(Store.StoryRecord row, Cost cost) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", row.id())
                .put("title", row.title())
                .put("state", row.state().name())
                .put("attempt", row.attempt())
                .put("agent", row.agentId())
                .put("spec", row.specId())
                .put("error", row.error())
                .put("commit", row.mergeCommit())
                .put("at", row.updatedAt().toEpochMilli())
                .put("tokens", cost.tokens())
                .put("dollars", text(cost.dollars()));
        budget(json, row, cost);
        ArrayNode dependsOn = json.putArray("dependsOn");
        row.dependsOn().forEach(dependsOn::add);
        return json;
    }

    /** The share of what the story may use; its budget counts from an attempt on, and as often as it was granted. */
    private void budget(ObjectNode json, Store.StoryRecord row, Cost all) {
        JsonNode data = Answers.tree(row.data());
        int from = data.path("budgetFrom").asInt() == 0
                ? row.attempt()
                : data.path("budgetFrom").asInt();
        Cost used = from <= 1 ? all : cost(row.id(), from);
        double grants = data.path("grants").asInt() + 1.0;
        json.put("usedTokens", used.tokens() / (grants * source.limits().tokensPerStory()));
        source.limits()
                .costPerStory()
                .filter(most -> used.dollars() != null && most.signum() > 0)
                .ifPresent(most -> json.put(
                        "usedDollars",
                        Objects.requireNonNull(used.dollars()).doubleValue() / (grants * most.doubleValue())));
    }

    private static void agent(ObjectNode json, AgentStatus agent) {
        json.put("id", agent.id())
                .put("role", agent.role())
                .put("story", agent.storyId())
                .put("state", agent.state())
                .put("model", agent.model().orElse(null))
                .put("tool", agent.lastCall().orElse(null))
                .put("tokens", agent.usage().totalTokens());
    }

    private static void request(ObjectNode json, InboxItem item) {
        json.put("id", item.id())
                .put("kind", item.kind().name())
                .put("story", item.storyId())
                .put("title", item.storyTitle())
                .put("agent", item.coderId())
                .put("at", item.askedAt().toEpochMilli())
                .put("until", item.until().toEpochMilli())
                .put("otherwise", item.otherwise())
                .put("approvals", item.approvals());
        ObjectNode facts = json.putObject("facts");
        item.facts().forEach(facts::put);
        ArrayNode given = json.putArray("given");
        item.given()
                .forEach(approval ->
                        given.addObject().put("person", approval.person()).put("message", approval.message()));
    }
}
