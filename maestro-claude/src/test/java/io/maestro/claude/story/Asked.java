package io.maestro.claude.story;

import io.maestro.agent.Architect;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** An architect that agrees to everything and remembers what it was asked; answers as a test says. */
final class Asked implements Architect {
    final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Function<Request, Reply> replies;

    Asked() {
        this(Asked::approve);
    }

    Asked(Function<Request, Reply> replies) {
        this.replies = replies;
    }

    static Reply approve(Request request) {
        return new Reply(request.id(), Decision.APPROVED, "");
    }

    List<Kind> kinds() {
        return requests.stream().map(Request::kind).toList();
    }

    @Override
    public String id() {
        return "asked";
    }

    @Override
    public Reply reply(Request request) {
        requests.add(request);
        return replies.apply(request);
    }
}
