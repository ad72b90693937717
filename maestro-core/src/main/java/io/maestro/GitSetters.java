package io.maestro;

import io.maestro.git.internal.SparseDirectories;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** The setters for the repository and for git. Hosts see them as {@link MaestroBuilder}'s own. */
abstract class GitSetters extends ToolSetters<MaestroBuilder> {
    final HostSettings own = new HostSettings(commands);

    GitSetters() {}

    /**
     * Sets the repository to work on.
     *
     * @param url a URL or path that git can clone from and push to
     * @return this
     */
    public MaestroBuilder repository(String url) {
        own.repository = Objects.requireNonNull(url, "url");
        return self();
    }

    /**
     * Sets the branch that stories start from and are merged into.
     *
     * @param branch a branch of the repository; the default is the repository's own default branch
     * @return this
     */
    public MaestroBuilder targetBranch(String branch) {
        own.targetBranch = Objects.requireNonNull(branch, "branch");
        return self();
    }

    /**
     * Sets in whose name agents commit. Merges are made in the same name, or by the server of the {@linkplain
     * MaestroBuilder#forge forge}.
     *
     * @param name <code>{AGENT_ID}</code> in it is replaced by the agent; the default is <code>Maestro {AGENT_ID}</code>
     * @return this
     */
    public MaestroBuilder gitUserName(String name) {
        own.gitUserName = HostSettings.identity("name", name);
        return self();
    }

    /**
     * Sets the address in agents' commits.
     *
     * @param email <code>{AGENT_ID}</code> in it is replaced by the agent; the default is
     *     <code>{AGENT_ID}@maestro.local</code>
     * @return this
     */
    public MaestroBuilder gitUserEmail(String email) {
        own.gitUserEmail = HostSettings.identity("address", email);
        return self();
    }

    /**
     * Sets how long git may show no progress on this machine, before it is killed and the story fails. Git that computes or
     * prints may take 24 times as long: a large repository needs no other setting, a slow disk may.
     *
     * @param time from 1 second to 1 day; 5 minutes unless set
     * @return this
     */
    public MaestroBuilder gitLocalTime(Duration time) {
        own.gitLocalTime = HostSettings.gitTime("gitLocalTime", time);
        return self();
    }

    /**
     * Sets how long git may show no progress when it talks to the repository, before it is killed and the repository counts
     * as not reachable. Git that reports its progress may take 24 times as long. A {@linkplain MaestroBuilder#forge forge} of
     * the host's own has limits of its own.
     *
     * @param time from 1 second to 1 day; 15 minutes unless set
     * @return this
     */
    public MaestroBuilder gitRemoteTime(Duration time) {
        own.gitRemoteTime = HostSettings.gitTime("gitRemoteTime", time);
        return self();
    }

    /**
     * Sets which directories of a large repository workspaces have, as git's sparse checkout has them: these with all that is
     * below, and the files that lie directly in a directory above one of them, the root included. Commits keep what is outside; a
     * file that an agent writes there is committed, too. Which they are is noted with each workspace: a change counts from the
     * next one on. Where the target branch lacks one of them, a story ends before a model is paid. The whole repository by default.
     *
     * @param paths from the repository's root on, separated by slashes, as in {@code services/billing}; at most 1,000; none for
     *     the whole repository
     * @return this
     * @throws IllegalArgumentException when one is no path inside a repository, or has a control character or any of
     *     <code>* ? [ ] \ "</code>
     */
    public MaestroBuilder sparseDirectories(String... paths) {
        List<String> given = List.of(paths);
        SparseDirectories unused = SparseDirectories.of(given);
        own.sparseDirectories = given;
        return self();
    }

    /**
     * Sets whether a change that adds a token of a well-known form, such as one of GitHub or a private key, or what a rule of
     * the host's own {@linkplain MaestroBuilder#redactor redactor} finds, goes back to the coder before it is reviewed. On by
     * default. Secrets that Maestro knows by their value are never committed, whatever is set here.
     *
     * @param block false where made-up tokens are part of the project
     * @return this
     */
    public MaestroBuilder blockTokens(boolean block) {
        own.blockTokens = block;
        return self();
    }

    /**
     * Sets whether commits have headers as Conventional Commits have them: the first line of the coder's summary where it is one,
     * as in <code>fix(parser): take empty lines</code>, and else one that is made of the story's title. Off by default.
     *
     * @param on whether they have
     * @return this
     */
    public MaestroBuilder conventionalCommits(boolean on) {
        own.conventionalCommits = on;
        return self();
    }

    /**
     * Sets whether the architect is asked how to resolve a conflict with what others have merged, before the coder resolves it: a
     * question with git's words, answered like any other. Off by default.
     *
     * @param on whether it is asked
     * @return this
     */
    public MaestroBuilder conflictGuidance(boolean on) {
        own.conflictGuidance = on;
        return self();
    }

    /**
     * Sets whether commits are signed, by git on this machine with what its configuration says: {@code user.signingKey}, {@code
     * gpg.format} and the programs for it. No container and no agent has the key. It is tried before a model is paid: a
     * story whose commits cannot be signed ends then. A key that stops working later keeps approved work waiting. Off by default.
     *
     * @param on whether they are
     * @return this
     */
    public MaestroBuilder signCommits(boolean on) {
        own.signCommits = on;
        return self();
    }
}
