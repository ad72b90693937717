package io.maestro;

import io.maestro.agent.Architect;

/** Approves everything, without a word. */
public class Approving implements Architect {
    @Override
    public String id() {
        return "approving";
    }

    @Override
    public Reply reply(Request request) {
        return new Reply(request.id(), Decision.APPROVED, "");
    }
}
