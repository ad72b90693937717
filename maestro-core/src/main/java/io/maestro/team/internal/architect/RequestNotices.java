package io.maestro.team.internal.architect;

/** Where people are shown what they decide on, beside the inbox. Implementations are safe for use by several threads. */
public interface RequestNotices {
    /** Nowhere. */
    RequestNotices NONE = new RequestNotices() {
        @Override
        public void show(Requester requester, String requestId) {}

        @Override
        public void changed(String storyId) {}
    };

    /** A request is in the record, which may have its reply. */
    void show(Requester requester, String requestId);

    /** A request of a story may have its reply, or nobody waits for it any more. */
    void changed(String storyId);
}
