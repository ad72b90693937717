package io.maestro.git.internal;

import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Why a git that talked to a remote repository has failed, by its exit code and what it said. What was reached before and is
 * away now is an outage, whatever the transport: a {@link GitUnavailableException}. A first contact that fails is none: it is a
 * {@link GitException} with a remedy, and so is what the server has decided. {@link Mirror} knows what was reached before.
 */
final class RemoteFailure {
    /** The exit code of a git that wrote to a connection that was closed; it says nothing then. */
    private static final int BROKEN_PIPE = 141;

    /** A connection that was not made or has broken, or a server that is overloaded: it may go well later. */
    private static final Pattern UNREACHABLE = Pattern.compile(
            "(?i)could not resolve host|name resolution|unable to look up|connection (refused|timed out|reset|closed|was reset)"
                    + "|operation timed out|operation too slow|failed to connect|couldn't connect|timeout was reached"
                    + "|network is (unreachable|down)|no route to host|host is down|(error:|http) (408|429|5\\d\\d)"
                    + "|early eof|unexpected disconnect|hung up unexpectedly|broken pipe|(recv|send) failure"
                    + "|empty reply from server|transfer closed|kex_exchange_identification|banner exchange"
                    + "|ssl_error_syscall|ssl_(read|connect|write)|gnutls"
                    + "|tls (connect error|packet)|unexpected eof while reading|was not closed cleanly"
                    + "|curl (5|6|7|16|18|28|35|52|55|56|92)\\b"
                    // A mount that is gone while it is read.
                    + "|stale (nfs )?file handle|input/output error|transport endpoint is not connected"
                    // Nothing but that: who refuses says so.
                    + "|\\A\\s*fatal: could not read from remote repository");

    /** What the server has decided; that a connection then ends says nothing more. */
    private static final Pattern REFUSED = Pattern.compile("(?i)(error:|http) 4(?!08|29)\\d\\d|permission denied"
            + "|authentication failed|could not read (username|password)|not found|access denied"
            + "|certificate|host key verification failed|no matching host key");

    /** It is not where it was looked for: the address is wrong, or a disk or mount is away. */
    private static final Pattern MISSING = Pattern.compile("(?i)does not appear to be a git repository"
            + "|repository ('[^']*' )?not (found|exported)|repository .*does not exist"
            + "|project you were looking for could not be found|(error:|http) 404");

    private static final Pattern UNKNOWN_HOST_KEY = Pattern.compile("Host key verification failed");

    private static final Pattern PARTIAL = Pattern.compile("promisor remote|lazy fetching disabled");

    private static final Pattern DENIED = Pattern.compile(
            "could not read (Username|Password)|Authentication failed|Permission denied|returned error: 40[13]");

    /** In a line that {@code git push --porcelain} prints for a ref: {@code flag TAB from:to TAB summary (reason)}. */
    private static final Pattern MOVED_ON =
            Pattern.compile("\\((fetch first|non-fast-forward|stale info|cannot lock ref.*"
                    + "|refname conflict|failed to update ref.*|incorrect old value.*|reference already exists.*)\\)");

    private static final String FIRST_CONTACT =
            "correct the address, or find what keeps this machine from it: the network, a proxy, or the server itself";

    private RemoteFailure() {}

    /** It does not get better by waiting. A git that was cancelled or is stuck here is none of these. */
    static final class RemoteRefusal extends GitException {
        private static final long serialVersionUID = 1L;

        RemoteRefusal(String message) {
            super(message, null);
        }
    }

    /** Whether git could not reach the remote, by what it said. */
    static boolean isUnreachable(String said) {
        return isMissing(said)
                || UNREACHABLE.matcher(said).find() && !REFUSED.matcher(said).find();
    }

    private static boolean isMissing(String said) {
        return MISSING.matcher(said).find() && !DENIED.matcher(said).find();
    }

    /** Whether a push was refused because the branch has moved, so that fetching and trying again makes sense. */
    static boolean movedOn(String pushReport) {
        List<String> rejected = rejected(pushReport);
        return !rejected.isEmpty()
                && rejected.stream().allMatch(line -> MOVED_ON.matcher(line).find());
    }

    /** Why a push of refs was refused; empty when none was. */
    static String pushRefusals(String pushReport) {
        return rejected(pushReport).stream()
                .map(line -> line.substring(line.lastIndexOf('\t') + 1))
                .collect(Collectors.joining("; "));
    }

    private static List<String> rejected(String pushReport) {
        return pushReport.lines().filter(line -> line.startsWith("!")).toList();
    }

    /**
     * A git that has failed.
     *
     * @param what what cannot be done, in which repository
     * @param reached whether this repository was reached before
     */
    static RuntimeException of(String what, GitCli.GitResult result, boolean reached) {
        String said = result.err();
        String report = pushRefusals(result.out());
        // Not its long command, which the log has at DEBUG.
        String details = "git " + result.end() + (report.isEmpty() ? "" : " (" + report + ")");
        // A hook may say anything.
        boolean away = !report.contains("hook declined") && (result.exitCode() == BROKEN_PIPE || isUnreachable(said));
        if (away && reached) {
            return new GitUnavailableException(what + ": " + details, null);
        }
        String remedy = away && isMissing(said)
                ? "there is no repository there: correct the address, or make one with 'git init --bare'"
                : away ? FIRST_CONTACT : refusal(said);
        // In the first line, which is all that the history of a story shows.
        return new RemoteRefusal(what + (remedy.isEmpty() ? "" : " (" + remedy + ")") + ": " + details);
    }

    /** A git that was killed because the other side was silent. */
    static RuntimeException silent(GitUnavailableException killed, boolean reached) {
        return reached ? killed : new GitException(killed.getMessage() + "; " + FIRST_CONTACT, killed);
    }

    private static String refusal(String said) {
        if (UNKNOWN_HOST_KEY.matcher(said).find()) {
            return "compare the key of the server with what its owner says, and add it to the known_hosts of ssh";
        }
        if (PARTIAL.matcher(said).find()) {
            return "it is a partial clone, which lacks files that it would have to fetch itself: use the repository that it was"
                    + " cloned from, or a full clone of that";
        }
        return DENIED.matcher(said).find()
                ? "check that git on this machine can reach it without asking: by a credential helper, an ssh key, or credentials"
                        + " in the URL"
                : "";
    }
}
