package io.maestro.git.hosted;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.TestRepository;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedPull.Comment;
import io.maestro.git.hosted.ScriptedPull.Note;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Review;
import io.maestro.git.hosted.ScriptedPull.Talk;
import io.maestro.git.hosted.ScriptedPull.Verdict;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.Timing;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A forge's server as a script: requests, reviews, threads and checks in memory, and a real repository behind them in which merges
 * are made. What people do are its methods; how it is asked, and what it answers, is its product's own.
 */
public abstract class ScriptedServer implements AutoCloseable {
    static final String SELF = "maestro-account";
    static final String TOKEN = "ghp_scriptedscriptedscripted0123456789";

    final ScriptedFaults faults = new ScriptedFaults();
    /** Each request as {@code operation status}. */
    final List<String> log = new ArrayList<>();
    /** What was asked of it that it does not know, and what was not as its makers describe it. */
    final List<String> unknown = new ArrayList<>();

    final ScriptedHttp http;
    final ScriptedHistory history;
    final Map<Integer, ScriptedPull> pulls = new LinkedHashMap<>();
    final Map<String, List<Run>> runs = new HashMap<>();
    final Map<String, String> logs = new HashMap<>();
    /** What is answered whatever has happened, by operation. */
    final Map<String, JsonNode> recorded = new ConcurrentHashMap<>();

    private final Map<String, String> rights = new HashMap<>();
    private final Map<String, Answer> rightAnswers = new HashMap<>();
    private final List<Map.Entry<String, Pattern>> operations;
    private long ids = 1000;
    private int hidden;
    boolean upToDate;
    boolean mayWrite = true;
    boolean needsApproval;
    boolean needsChecks;
    boolean mayResolve = true;
    boolean queues;
    boolean queuesBehind = true;
    private Consumer<String> beforeMerge = sha -> {};
    private Consumer<String> beforeChecks = commit -> {};
    private Runnable beforeTip = () -> {};
    private int tips;
    private Runnable beforeRight = () -> {};

    /** A run of a check. */
    record Run(long id, String name, Check.CheckState state, String word) {}

    /** Answers one request. */
    record Answer(int status, JsonNode body, Map<String, String> headers) {
        static Answer of(int status, JsonNode body) {
            return new Answer(status, body, Map.of());
        }

        static Answer failed(int status, String message) {
            return of(status, object().put("message", message));
        }
    }

    ScriptedServer(TestRepository repository, List<Map.Entry<String, Pattern>> operations) {
        this.operations = operations;
        history = new ScriptedHistory(Path.of(repository.url()));
        http = new ScriptedHttp(this);
    }

    static Map.Entry<String, Pattern> operation(String name, String pattern) {
        return Map.entry(name, Pattern.compile(pattern));
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** The path before all others. */
    abstract String root();

    abstract HostedForgeBuilder builder();

    /** Answers; what was asked for is found already. */
    abstract Answer answer(
            String operation,
            List<String> parts,
            Map<String, String> query,
            JsonNode body,
            @Nullable ScriptedPull pull);

    /** Whether what stands in the head of a request allows it. */
    boolean isAuthorized(String operation, @Nullable String header) {
        return ("Bearer " + TOKEN).equals(header);
    }

    /** What is wrong with a request that succeeded and with its answer, by what its makers describe. */
    abstract List<String> faults(
            String method, String path, Map<String, String> query, String body, int status, String answer);

    /** The words of the server for a state of a check. */
    abstract String word(Check.CheckState state);

    URI url() {
        return http.url(root());
    }

    /** A forge that asks this server, and waits for nothing that it need not. */
    public HostedForgeBuilder forge() {
        return http.set(builder().baseUrl(url()).answersByComments(true));
    }

    /** With a shorter time until it is tried again when somebody has to mend something. */
    Timing shortTiming() {
        return new Timing(
                Duration.ofMillis(5), Duration.ZERO, Duration.ofMillis(5), Duration.ofMillis(1), ScriptedHttp.CALL);
    }

    /** With little patience for a server that does not answer. */
    Timing impatient() {
        return new Timing(
                Duration.ofMillis(5),
                Duration.ZERO,
                Duration.ofMillis(5),
                Duration.ofMillis(1),
                Duration.ofMillis(400));
    }

    /** Where a request's branch is. */
    synchronized String head(int number) {
        return history.tip(pull(number).head);
    }

    synchronized ScriptedPull pull(int number) {
        return pulls.get(number);
    }

    synchronized List<ScriptedPull> pulls() {
        return List.copyOf(pulls.values());
    }

    synchronized long count(String prefix) {
        return log.stream().filter(line -> line.startsWith(prefix)).count();
    }

    synchronized long nextId() {
        return ++ids;
    }

    /** So many lists come that do not show the newest request. */
    synchronized void hides(int lists) {
        hidden = lists;
    }

    public synchronized void requiresUpToDate() {
        upToDate = true;
    }

    synchronized void requiresApproval() {
        needsApproval = true;
    }

    synchronized void requiresChecks() {
        needsChecks = true;
    }

    /** The repository is set up to be merged so. */
    synchronized void allows(MergeMethod method) {}

    synchronized void forbidsWriting() {
        mayWrite = false;
    }

    synchronized void forbidsResolving() {
        mayResolve = false;
    }

    /** Gives somebody another right to the code, whatever else the server says of that person. */
    synchronized void right(String login, String permission) {
        rights.put(login, permission);
    }

    /** Answers each question for somebody's right so; null answers it as before. */
    synchronized void answersRight(String login, @Nullable Answer answer) {
        rightAnswers.put(login, answer);
    }

    Answer rightAnswer(String login, Answer otherwise) {
        Answer answer = rightAnswers.get(login);
        return answer == null ? otherwise : answer;
    }

    /** What somebody may do; empty when nobody has that name. */
    Optional<String> permission(String login) {
        beforeRight.run();
        beforeRight = () -> {};
        return rightOf(login);
    }

    Optional<String> rightOf(String login) {
        return who(login).map(who -> rights.getOrDefault(login, who == Person.STRANGER ? "read" : "write"));
    }

    /** Whose account it is, by what was written. */
    Optional<Person> who(String login) {
        return pulls.values().stream()
                .flatMap(pull -> Stream.of(
                                pull.notes.stream().map(note -> Map.entry(note.login(), note.who())),
                                pull.reviews.stream().map(review -> Map.entry(review.login(), review.who())),
                                pull.threads.stream()
                                        .flatMap(thread -> thread.comments.stream())
                                        .map(comment -> Map.entry(comment.login(), comment.who())))
                        .flatMap(written -> written))
                .filter(written -> written.getKey().equals(login))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    synchronized void beforeMerge(Consumer<String> action) {
        beforeMerge = action;
    }

    /** Does something whenever the checks of a commit are asked for. */
    synchronized void beforeChecks(Consumer<String> action) {
        beforeChecks = action;
    }

    /** Does something right before the target branch's tip is told for the nth time from now on. */
    synchronized void beforeTip(int nth, Runnable action) {
        tips = nth;
        beforeTip = action;
    }

    synchronized void check(String commit, String name, Check.CheckState state, String log) {
        check(commit, name, state, word(state), log);
    }

    synchronized void check(String commit, String name, Check.CheckState state, String word, String log) {
        long id = nextId();
        List<Run> all = runs.computeIfAbsent(commit, key -> new ArrayList<>());
        all.removeIf(one -> one.name().equals(name));
        all.add(new Run(id, name, state, word));
        logs.put(Long.toString(id), log);
    }

    synchronized void review(int number, String login, Person who, Verdict verdict, String commit, String text) {
        see(pull(number));
        pull(number).reviews.add(new Review(nextId(), login, who, verdict, commit, text, Instant.now()));
        pull(number).requested.remove(login);
    }

    synchronized Talk thread(int number, String login, Person who, String text) {
        Talk thread = new Talk(
                Long.toHexString(nextId()) + "abcdef",
                "src/A.java",
                12 + 10 * pull(number).threads.size());
        say(thread, login, who, text);
        pull(number).threads.add(thread);
        return thread;
    }

    synchronized Comment say(Talk thread, String login, Person who, String text) {
        Comment comment = new Comment(nextId(), login, who, text);
        thread.comments.add(comment);
        return comment;
    }

    /** Somebody writes below a request. */
    synchronized long write(int number, String login, Person who, String text) {
        return write(number, login, who, text, Duration.ZERO);
    }

    /** As if it had been written so long ago. */
    synchronized long write(int number, String login, Person who, String text, Duration ago) {
        Note note = new Note(nextId(), login, who, text, false, Instant.now().minus(ago));
        pull(number).notes.add(note);
        return note.id();
    }

    /** Somebody changes what is written below a request. */
    synchronized void edit(long id, String text) {
        for (ScriptedPull pull : pulls.values()) {
            pull.notes.replaceAll(
                    note -> note.id() == id ? new Note(id, note.login(), note.who(), text, true, note.at()) : note);
        }
    }

    /** What Maestro has written below a request. */
    synchronized List<String> ownNotes(int number) {
        return pulls.containsKey(number)
                ? pull(number).notes.stream()
                        .filter(note -> note.who() == Person.SELF)
                        .map(Note::text)
                        .toList()
                : List.of();
    }

    /** Does something, once, right before somebody's right to write is told. */
    synchronized void beforeRight(Runnable action) {
        beforeRight = action;
    }

    /** Opens one, as somebody does by hand. */
    synchronized ScriptedPull opened(String head, String base, String title, String body) {
        ScriptedPull made = new ScriptedPull(pulls.size() + 1, head, base, title, body);
        pulls.put(made.number, made);
        see(made);
        return made;
    }

    /** One of a fork that was deleted, whose branch had the same name. */
    synchronized void openedFromAForkThatIsGone(String head, String base) {
        ScriptedPull made = new ScriptedPull(pulls.size() + 1, head, base, "Other", "");
        made.forkIsGone = true;
        made.shownHead = history.tip(base);
        pulls.put(made.number, made);
    }

    /** Renames a branch; the requests that went into it go into what it is called now. */
    synchronized void renames(String from, String to) {
        history.rename(from, to);
        pulls.values().stream().filter(pull -> pull.base.equals(from)).forEach(pull -> pull.base = to);
    }

    /** The queue, or a person, lets a request go without merging it. */
    synchronized void letsGo(int number, String by, String reason) {
        pull(number).queued = false;
        pull(number).left = new ScriptedPull.Left(nextId(), by, reason);
    }

    /** A check of what the queue makes of a request and what stands before it. */
    synchronized void queueCheck(int number, String name, Check.CheckState state, String log) {
        throw new UnsupportedOperationException();
    }

    /** The queue merges, whatever the target branch's tip is. */
    synchronized void queueMerges(int number) {
        pull(number).queued = false;
        merges(number, "the-queue", "merge");
    }

    synchronized void closes(int number, String login) {
        ScriptedPull pull = pull(number);
        pull.shownHead = history.tip(pull.head);
        pull.open = false;
        pull.by = login;
    }

    /** Opens one again that was closed and not merged. */
    static void opens(ScriptedPull pull, boolean asked) {
        if (asked && !pull.merged) {
            pull.open = true;
            pull.shownHead = null;
            pull.by = "";
        }
    }

    synchronized void merges(int number, String login, String method) {
        ScriptedPull pull = pull(number);
        merged(pull, history.tip(pull.head), login, method, "by " + login);
    }

    void merged(ScriptedPull pull, String head, String login, String method, String message) {
        pull.mergeCommit = history.merge(pull.base, head, method, message);
        pull.shownHead = head;
        pull.open = false;
        pull.merged = true;
        pull.by = login;
    }

    /** The commit that a request shows as its last one. */
    String head(ScriptedPull pull) {
        String shown = pull.shownHead;
        return shown != null ? shown : history.tip(pull.head);
    }

    /** Notes which commit a request has. */
    void see(ScriptedPull pull) {
        String head = head(pull);
        List<ScriptedPull.Version> versions = pull.versions;
        if (versions.isEmpty() || !versions.get(versions.size() - 1).commit().equals(head)) {
            versions.add(new ScriptedPull.Version(head, Instant.now()));
        }
    }

    /** Whether a request can be merged. */
    enum Standing {
        CLEAN,
        CONFLICT,
        BEHIND,
        UNAPPROVED
    }

    Standing standing(ScriptedPull pull) {
        String head = head(pull);
        String tip = history.tip(pull.base);
        boolean behind = !history.contains(head, tip);
        if (behind && history.conflicts(tip, head)) {
            return Standing.CONFLICT;
        }
        boolean approved = pull.reviews.stream().anyMatch(one -> one.verdict() == Verdict.APPROVED);
        return upToDate && behind ? Standing.BEHIND : needsApproval && !approved ? Standing.UNAPPROVED : Standing.CLEAN;
    }

    /** The newest first, but for one that is not shown yet. */
    List<ScriptedPull> listed() {
        List<ScriptedPull> newest = new ArrayList<>(pulls.values());
        if (hidden > 0 && !newest.isEmpty()) {
            newest.remove(newest.size() - 1);
        }
        hidden = Math.max(0, hidden - 1);
        Collections.reverse(newest);
        return newest;
    }

    boolean hasOpen(String head, String base) {
        return pulls.values().stream()
                .anyMatch(one -> one.open && !one.forkIsGone && one.head.equals(head) && one.base.equals(base));
    }

    /** What happens right before a merge. */
    void beforeMerge(ScriptedPull pull) {
        beforeMerge.accept(head(pull));
    }

    /** The tip of a branch, at the moment in which it is told. */
    String told(String branch) {
        if (--tips == 0) {
            beforeTip.run();
        }
        return history.tip(branch);
    }

    static Answer page(List<? extends JsonNode> all, Map<String, String> query, @Nullable String member) {
        int size = Integer.parseInt(query.getOrDefault("per_page", query.getOrDefault("limit", "30")));
        int page = Integer.parseInt(query.getOrDefault("page", "1"));
        ObjectNode holder = object().put("total_count", all.size());
        ArrayNode items = holder.putArray(member == null ? "items" : member);
        all.stream().skip((long) size * (page - 1)).limit(size).forEach(items::add);
        int last = (all.size() + size - 1) / size;
        String links = page >= last
                ? ""
                : "<http://x/?a=1&page=" + (page + 1) + ">; rel=\"next\", <http://x/?a=1&page=" + last
                        + ">; rel=\"last\"";
        return new Answer(200, member == null ? items : holder, links.isEmpty() ? Map.of() : Map.of("Link", links));
    }

    /** The name of what is asked for. */
    String operation(String method, String path, String body) {
        return operations.stream()
                .filter(one -> one.getValue().matcher(method + " " + path).matches())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("unknown");
    }

    synchronized Answer answer(String operation, String method, String path, Map<String, String> query, JsonNode body) {
        Matcher matcher = operations.stream()
                .map(one -> one.getValue().matcher(method + " " + path))
                .filter(Matcher::matches)
                .findFirst()
                .orElse(null);
        if (matcher == null) {
            unknown.add(method + " " + path);
            return Answer.failed(404, "Not Found");
        }
        List<String> parts = new ArrayList<>();
        for (int i = 1; i <= matcher.groupCount(); i++) {
            parts.add(matcher.group(i));
        }
        String first = parts.isEmpty() ? "" : parts.get(0);
        if (operation.equals("checks")) {
            beforeChecks.accept(first);
        }
        JsonNode answer = recorded.get(operation);
        if (answer != null) {
            return Answer.of(200, answer);
        }
        ScriptedPull pull = first.matches("\\d{1,9}") ? pulls.get(Integer.parseInt(first)) : null;
        pulls.values().stream().filter(one -> one.open).forEach(this::see);
        return answer(operation, parts, query, body, pull);
    }

    /** A log that lies elsewhere. */
    synchronized @Nullable String log(String id) {
        return logs.get(id);
    }

    synchronized void faulty(List<String> faults) {
        unknown.addAll(faults);
    }

    synchronized void logged(String operation, int status) {
        log.add(operation + " " + status);
    }

    @Override
    public void close() {
        http.close();
        history.close();
    }
}
