package io.maestro.team.internal;

import io.maestro.agent.Architect;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A person: wants the first plan and the first change otherwise, remembers what it was asked, and is no part of the team. */
final class RememberingArchitect implements Architect {
    final List<String> asked = Collections.synchronizedList(new ArrayList<>());

    @Override
    public String id() {
        return "person";
    }

    @Override
    public Reply reply(Request request) {
        asked.add(request.id() + " " + request.kind());
        boolean first =
                asked.stream().filter(id -> id.endsWith(request.kind().name())).count() == 1;
        boolean review = request.kind() == Kind.PLAN_REVIEW || request.kind() == Kind.CODE_REVIEW;
        return new Reply(
                request.id(),
                first && review ? Decision.NEEDS_CHANGES : Decision.APPROVED,
                "about the " + request.kind());
    }
}
