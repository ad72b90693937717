package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;

/** What a reply of the architect means for a story. */
final class Verdict {
    private Verdict() {}

    /**
     * Notes the reply's message for the coder's next turn, with an approval too: guidance that gets lost makes two agents go
     * round in circles.
     *
     * @param what what was decided on, as in "your plan"
     * @return whether the story goes forward; otherwise the coder must change something
     * @throws RejectedException when the story ends here
     */
    static boolean forward(StoryRun run, Architect.Reply reply, String what) {
        String message = reply.message().isBlank() ? "(no reason given)" : reply.message();
        switch (reply.decision()) {
            case REJECTED:
                throw new RejectedException("the architect rejected " + what + ": " + message);
            case NEEDS_CHANGES:
                run.tell("The architect wants changes to " + what + ":\n\n" + message);
                return false;
            default:
                if (!reply.message().isBlank()) {
                    run.tell("The architect approved " + what + " and says:\n\n" + message);
                }
                return true;
        }
    }
}
