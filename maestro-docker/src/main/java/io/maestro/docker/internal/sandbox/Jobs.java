package io.maestro.docker.internal.sandbox;

import io.maestro.docker.CommandLostException;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.DockerHost;
import io.maestro.docker.JobStatus;
import io.maestro.docker.JobStatus.State;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.secrets.internal.ShownText;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Background commands, jobs, of one container. A job is kept in files of the container and by a process there, so that it
 * outlives this object, this JVM and the client of the engine, and any other object for the same container knows of it. What a
 * job has left running when its shell ends is ended, as the commands of an executor.
 *
 * <p>An executor that has the container {@linkplain DockerExecutor.Builder#exclusive for itself} ends jobs: do not have both.
 *
 * <p>A user cannot touch another user's jobs. One that this object does not know is looked for among those of all users who have
 * some, which costs an exec for each of them, once. Safe for use by several threads; nothing to close.
 */
public final class Jobs {
    /** The least that a poll can ask for: the longest character. */
    private static final int LONGEST_CHARACTER = 4;

    private static final int LONGEST_POLL = 16 << 20;
    private static final int LINE = 1 << 10;
    private static final Pattern ID = Pattern.compile("[0-9a-f]{12}");

    private final String where;
    private final DockerExecutor executor;
    private final String directory;
    private final Map<String, String> variables;
    private final JobLimits limits;
    private final SecureRandom random = new SecureRandom();
    /** Of two that are started at once when there is room for one, both would be refused. */
    private final ReentrantLock starting = new ReentrantLock();
    /** Whose a job is, where not the usual user's. */
    private final Map<String, String> users = new ConcurrentHashMap<>();

    /**
     * Starts nothing.
     *
     * @param host the engine
     * @param containerId the container's id or name
     * @param user as whom jobs run unless they say otherwise; null for the container's own user
     * @param workingDirectory where jobs run unless they say otherwise; absolute
     * @param variables of all jobs; they may be secrets
     * @throws IllegalArgumentException when a name, the directory or a variable is none
     */
    public Jobs(
            DockerHost host,
            String containerId,
            @Nullable String user,
            String workingDirectory,
            Map<String, String> variables) {
        this(host, containerId, user, workingDirectory, variables, JobLimits.USUAL);
    }

    Jobs(
            DockerHost host,
            String containerId,
            @Nullable String user,
            String workingDirectory,
            Map<String, String> variables,
            JobLimits limits) {
        DockerExecutor.Builder builder = DockerExecutor.builder(host, containerId)
                .workingDirectory(workingDirectory)
                .fastPath(false);
        if (user != null) {
            builder.user(user);
        }
        this.executor = builder.build();
        // Refused here and not when a job starts. What only asks is not told them.
        variables.forEach(DockerExecutor.builder(host, containerId)::variable);
        this.where = "container " + containerId;
        this.directory = workingDirectory;
        this.variables = Map.copyOf(variables);
        this.limits = limits;
    }

    /**
     * Starts a job. Its standard input is empty.
     *
     * @param command any text for {@code sh}
     * @param user as whom; null for the usual user
     * @param directory where, absolute or from the usual directory; null for that
     * @return its id, 12 hexadecimal digits
     * @throws IllegalArgumentException when the command is blank or holds NUL
     * @throws DockerException when too many jobs run, with the ids of those of the same user, or its files cannot be written
     * @throws ExecException when the directory cannot be used, the container does not run
     * @throws CommandLostException when it may have been started or not: {@link #list()} tells
     */
    public String start(String command, @Nullable String user, @Nullable String directory) {
        if (command.isBlank() || command.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the command of a job must not be blank or hold a NUL character");
        }
        String id = HexFormat.of().formatHex(bytes(6));
        byte[] text = command.getBytes(StandardCharsets.UTF_8);
        String order = id + " " + text.length + " " + limits.running() + " " + limits.kept() + " "
                + limits.outputBytes() / JobLimits.BLOCK + "\n";
        ExecRequest.Builder request = ExecRequest.command(JobScripts.START)
                .stdin((order + command).getBytes(StandardCharsets.UTF_8))
                .workingDirectory(directory == null ? this.directory : directory);
        variables.forEach(request::environment);
        if (user != null) {
            request.user(user);
        }
        JobAnswer answer;
        starting.lock();
        try {
            answer = answer(request, "start a job");
        } finally {
            starting.unlock();
        }
        switch (answer.word()) {
            case "started" -> {
                if (user != null) {
                    users.put(id, user);
                }
                return id;
            }
            case "refused" -> throw tooMany(answer.words());
            case "nowhere" ->
                throw new DockerException(
                        "cannot start a job in " + where + ": none of the directories " + answer.words()
                                + " can be made or is this user's alone; make one, with mode 700",
                        null);
            case "short" ->
                throw new DockerException(
                        "cannot start a job in " + where + ": its files cannot be written to " + answer.words()
                                + "; see whether the disk is full, then try again",
                        null);
            case "stuck" ->
                throw new DockerException(
                        "cannot start a job in " + where + ": it did not begin within 20 s; see whether the container"
                                + " may start processes, then try again",
                        null);
            default -> throw JobAnswer.unexpected("the start of a job in " + where, answer.line());
        }
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private DockerException tooMany(String words) {
        List<String> all = List.of(words.split(" "));
        List<String> own = all.subList(1, all.size());
        return new DockerException(
                "cannot start a job in " + where + ": " + all.get(0) + " jobs run there and at most " + limits.running()
                        + " may; of this user's these run: " + (own.isEmpty() ? "none" : String.join(", ", own))
                        + "; cancel one or wait for its end",
                null);
    }

    /**
     * Says how a job is, and what it printed.
     *
     * @param id of the job
     * @param offset from which byte of the output; 0 at first, then {@link JobStatus#nextOffset}
     * @param most how many bytes of output at most; 4 to 16 MiB
     * @return how it is; with less output than there is when that is more
     * @throws IllegalArgumentException when a value is out of its range
     * @throws DockerException when there is no such job (any more)
     * @throws ExecException when the container does not run
     */
    public JobStatus poll(String id, long offset, int most) {
        return asked(id, offset, most).polled(id, offset);
    }

    private JobAnswer asked(String id, long offset, int most) {
        requireId(id);
        if (offset < 0) {
            throw new IllegalArgumentException("the offset must be 0 or more, is " + offset);
        }
        if (most < LONGEST_CHARACTER || most > LONGEST_POLL) {
            throw new IllegalArgumentException(
                    "a poll reads " + LONGEST_CHARACTER + " to " + LONGEST_POLL + " bytes at most, not " + most);
        }
        JobAnswer answer = ask(JobScripts.POLL, id, " " + offset + " " + most, most, "poll job " + id);
        if (!answer.word().equals("status")) {
            throw JobAnswer.unexpected("how job " + id + " in " + where + " is", answer.line());
        }
        return answer;
    }

    /**
     * A part of a job's output.
     *
     * @param status how the job is, with the part
     * @param before the output before the part, as far as a secret may reach into it
     * @param after the output behind it, as far
     */
    public record Page(JobStatus status, String before, String after) {}

    /**
     * As {@link #poll}, with what stands around the output: it is to be shown by {@link ShownText#part}, since it may begin and end
     * in the middle of a secret.
     */
    public Page page(String id, long offset, int most) {
        long from = Math.max(0, offset - ShownText.AROUND);
        int before = (int) (offset - from);
        return asked(id, from, before + most + ShownText.AROUND).page(id, offset, before, most);
    }

    /**
     * Ends a job with all that it started: by TERM, and two seconds later by KILL.
     *
     * @param id of the job
     * @return how it is, without output: {@link State#CANCELLED}, or what had become of it before
     * @throws IllegalArgumentException when the id is none
     * @throws DockerException when there is no such job (any more)
     * @throws ExecException when something of it runs all the same, or the container does not run
     */
    public JobStatus cancel(String id) {
        requireId(id);
        JobAnswer answer = ask(JobScripts.CANCEL, id, "", 0, "cancel job " + id);
        JobStatus status = answer.word().equals("status") ? JobAnswer.status(id, answer.words()) : null;
        if (status != null && status.state() != State.RUNNING) {
            return status;
        }
        if (status != null || answer.word().equals("left")) {
            throw new ExecException(
                    "job " + id + " in " + where + " was cancelled, but could not be ended: "
                            + (status == null ? "processes " + answer.words() + " run" : "its output is held open")
                            + "; cancel it again, or restart the container",
                    null);
        }
        throw JobAnswer.unexpected("how job " + id + " in " + where + " was ended", answer.line());
    }

    /**
     * All jobs that run or are kept, of all users.
     *
     * @return without output, those that were started first at the beginning
     * @throws ExecException when the container does not run
     */
    public List<JobStatus> list() {
        String own = text("");
        StringBuilder all = new StringBuilder(own);
        own.lines()
                .filter(line -> line.startsWith("none "))
                .flatMap(line -> JobAnswer.of(line.getBytes(StandardCharsets.UTF_8)).users().stream())
                .forEach(user -> all.append(text(user)));
        return JobAnswer.listed(all.toString());
    }

    private String text(String user) {
        JobAnswer answer = answer(request(JobScripts.LIST, user), "list the jobs");
        return answer.line() + "\n" + new String(answer.rest(), StandardCharsets.UTF_8);
    }

    private static void requireId(String id) {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("the id of a job is 12 hexadecimal digits, not '" + id + "'");
        }
    }

    /** Asks as the user whose job it is, who is looked for where nobody knows. */
    private JobAnswer ask(List<String> script, String id, String numbers, int most, String what) {
        for (int tries = 0; tries < 3; tries++) {
            String user = users.getOrDefault(id, "");
            JobAnswer answer = answer(
                    request(script, user)
                            .stdin((id + numbers + "\n").getBytes(StandardCharsets.UTF_8))
                            .outputLimit(most + LINE),
                    what);
            switch (answer.word()) {
                case "as" -> users.put(id, answer.users().stream().findFirst().orElse(user));
                case "none" -> users.put(id, owner(id, answer.users()));
                default -> {
                    return answer;
                }
            }
        }
        throw new DockerException(
                "cannot " + what + " in " + where + ": its directory has a group that is not its"
                        + " user's; give it back with chgrp",
                null);
    }

    /** Nobody else knows an id; whoever has learned one could have a directory of that name. */
    private String owner(String id, List<String> others) {
        List<String> owners = new ArrayList<>();
        for (String user : others) {
            ExecRequest.Builder request =
                    request(JobScripts.POLL, user).stdin((id + " 0 0\n").getBytes(StandardCharsets.UTF_8));
            if (!answer(request, "look for job " + id).word().equals("none")) {
                owners.add(user);
            }
        }
        users.remove(id);
        if (owners.isEmpty()) {
            throw new DockerException(
                    "there is no job " + id + " in " + where + " (any more); list the jobs to see which there are",
                    null);
        }
        if (owners.size() > 1) {
            throw new DockerException(
                    "the users " + String.join(" and ", owners) + " both have a job " + id + " in " + where
                            + "; one of them has made it up, so that neither is believed",
                    null);
        }
        return owners.get(0);
    }

    private static ExecRequest.Builder request(List<String> script, String user) {
        ExecRequest.Builder request = ExecRequest.command(script).workingDirectory("/");
        return user.isEmpty() ? request : request.user(user);
    }

    private JobAnswer answer(ExecRequest.Builder request, String what) {
        ExecResult result = executor.run(request.build());
        return switch (result.ending()) {
            case EXITED -> JobAnswer.of(result.stdout().bytes());
            case TIMED_OUT ->
                throw new CommandLostException(
                        "cannot " + what + " in " + where + ": no answer in time; what was done is unknown, list the"
                                + " jobs to see",
                        null);
            case CANCELLED ->
                throw new CommandLostException(
                        "cannot " + what + " in " + where + ": interrupted; what was done is unknown, list the jobs to"
                                + " see",
                        null);
        };
    }

    /** For messages. */
    @Override
    public String toString() {
        return "Jobs[" + where + ":" + directory + "]";
    }
}
