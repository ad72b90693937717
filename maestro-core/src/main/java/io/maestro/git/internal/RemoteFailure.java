package io.maestro.git.internal;

import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a git that talked to a remote repository has failed of, by its exit code and what it said: whether it may go well later. */
final class RemoteFailure {
    /** The exit code of a git that wrote to a connection that was closed; it says nothing then. */
    private static final int BROKEN_PIPE = 141;

    /** A connection that was not made or has broken, or a server that is overloaded: it may go well later. */
    private static final Pattern UNREACHABLE = Pattern.compile(
            "(?i)could not resolve host|name resolution|connection (refused|timed out|reset|closed|was reset)"
                    + "|operation timed out|operation too slow|failed to connect|couldn't connect|timeout was reached"
                    + "|network is (unreachable|down)|no route to host|host is down|(error:|http) (408|429|5\\d\\d)"
                    + "|early eof|unexpected disconnect|hung up unexpectedly|broken pipe|(recv|send) failure"
                    + "|empty reply from server|transfer closed|kex_exchange_identification|banner exchange"
                    + "|ssl_error_syscall|ssl_(read|connect|write)|gnutls"
                    + "|tls (connect error|packet)|unexpected eof while reading|was not closed cleanly"
                    + "|curl (5|6|7|16|18|28|35|52|55|56|92)\\b"
                    // Nothing but that: who refuses says so.
                    + "|\\A\\s*fatal: could not read from remote repository");

    /** What the server has decided; that a connection then ends says nothing more. */
    private static final Pattern REFUSED = Pattern.compile("(?i)(error:|http) 4(?!08|29)\\d\\d|permission denied"
            + "|authentication failed|could not read (username|password)|not found|access denied"
            + "|certificate|host key verification failed|no matching host key");

    private static final Pattern DENIED = Pattern.compile(
            "could not read (Username|Password)|Authentication failed|Permission denied|returned error: 40[13]");

    /** In a line that {@code git push --porcelain} prints for a ref: {@code flag TAB from:to TAB summary (reason)}. */
    private static final Pattern MOVED_ON =
            Pattern.compile("\\((fetch first|non-fast-forward|stale info|cannot lock ref.*"
                    + "|failed to update ref.*|incorrect old value.*|reference already exists.*)\\)");

    private RemoteFailure() {}

    /** The server has decided against it. A git that was cancelled or is stuck here is none of these. */
    static final class Refused extends GitException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message, null);
        }
    }

    /** Whether git could not talk to the remote, by what it said. */
    static boolean isUnreachable(String said) {
        return UNREACHABLE.matcher(said).find() && !REFUSED.matcher(said).find();
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

    static RuntimeException of(String what, GitCli.Result result) {
        String message = what + ": " + result.details();
        String report = pushRefusals(result.out());
        if (!report.isEmpty()) {
            message += " (" + report + ")";
        }
        if (result.exitCode() == BROKEN_PIPE || isUnreachable(result.err())) {
            return new GitUnavailableException(message, null);
        }
        if (DENIED.matcher(result.err()).find()) {
            message += "; check that git on this machine can reach it without asking (a credential helper, an ssh key,"
                    + " or credentials in the URL)";
        }
        return new Refused(message);
    }
}
