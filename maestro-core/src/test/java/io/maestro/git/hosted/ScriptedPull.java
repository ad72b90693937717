package io.maestro.git.hosted;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A request of a {@link ScriptedServer}. Guarded by that. */
final class ScriptedPull {
    /** Who acts on a server. */
    enum Person {
        /** Has a say in the repository. */
        MEMBER,
        /** Has none. */
        STRANGER,
        /** Is no person, whatever its rights. */
        BOT,
        /** Maestro's account. */
        SELF
    }

    /** What a reviewer says. */
    enum Verdict {
        APPROVED,
        CHANGES_WANTED,
        COMMENTED,
        WITHDRAWN
    }

    final int number;
    final String head;
    String base;
    String title;
    String body;
    boolean open = true;
    boolean merged;
    boolean draft;
    /** Whether its branch was in a fork that is deleted by now. */
    boolean forkIsGone;

    /** Who has made it. */
    String author = ScriptedServer.SELF;

    String mergeCommit = "";
    String by = "";

    @Nullable
    String shownHead;

    /** Whether it can be merged, when it is not to be found out; in the words of the server. */
    @Nullable
    String mergeable;

    final Set<String> labels = new TreeSet<>();
    /** Who is to look at it and has not yet. */
    final Set<String> requested = new TreeSet<>();

    final List<Review> reviews = new ArrayList<>();
    final List<Talk> threads = new ArrayList<>();
    /** What is written below it, outside of threads. */
    final List<Note> notes = new ArrayList<>();
    /** Each commit that it had, with the time from which on. */
    final List<Version> versions = new ArrayList<>();

    /** Whether it is in the merge queue. */
    boolean queued;
    /** How the queue last let it go. */
    @Nullable
    Left left;

    ScriptedPull(int number, String head, String base, String title, String body) {
        this.number = number;
        this.head = head;
        this.base = base;
        this.title = title;
        this.body = body;
    }

    /** Out of the queue: by a person, or by itself when that is empty. */
    record Left(long id, String by, String reason) {
        Instant at() {
            return Instant.EPOCH.plusSeconds(id);
        }
    }

    record Version(String commit, Instant since) {}

    record Review(long id, String login, Person who, Verdict verdict, String commit, String text, Instant at) {}

    record Comment(long id, String login, Person who, String text) {}

    record Note(long id, String login, Person who, String text, boolean edited, Instant at) {}

    /** A review thread. */
    static final class Talk {
        final String id;
        final String path;
        final int line;
        boolean resolved;
        final List<Comment> comments = new ArrayList<>();

        Talk(String id, String path, int line) {
            this.id = id;
            this.path = path;
            this.line = line;
        }
    }
}
