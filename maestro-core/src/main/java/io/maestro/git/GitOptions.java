package io.maestro.git;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.git.internal.SparseDirectories;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings for git: the object {@code git} of the configuration. Immutable: each setter returns changed options.
 *
 * <pre>{@code Maestro.builder().git(git -> git.targetBranch("main").conventionalCommits(true))}</pre>
 */
public final class GitOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<String> REPOSITORY = GROUP.text("git.repository");
    private static final Setting<String> TARGET_BRANCH = GROUP.text("git.target_branch");
    private static final Setting<String> USER_NAME =
            GROUP.text("git.user_name", "Maestro {AGENT_ID}").checked(name -> requireIdentity("name", name));
    private static final Setting<String> USER_EMAIL = GROUP.text("git.user_email", "{AGENT_ID}@maestro.local")
            .checked(address -> requireIdentity("address", address));
    private static final Setting<Boolean> SIGN_COMMITS = GROUP.flag("git.sign_commits", false);
    private static final Setting<Boolean> CONVENTIONAL_COMMITS = GROUP.flag("git.conventional_commits", false);
    private static final Setting<Boolean> BLOCK_TOKENS = GROUP.flag("git.block_tokens", true);
    private static final Setting<Boolean> CONFLICT_GUIDANCE = GROUP.flag("git.conflict_guidance", false);
    private static final Setting<List<String>> SPARSE_DIRECTORIES =
            GROUP.texts("git.sparse_directories").checked(SparseDirectories::of);

    private static final GitOptions DEFAULTS = new GitOptions(GROUP.none());

    private final SettingValues values;

    private GitOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static GitOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Takes from a configuration what is not set.
     *
     * @param configuration all of it, valid by {@code Maestro.configSchema()}, as a tree of JSON types
     * @return options in which the values of these win
     * @throws io.maestro.error.MaestroException when a value cannot be used; the message begins with its path
     */
    public GitOptions under(Map<String, Object> configuration) {
        return new GitOptions(values.under(Config.of(configuration)));
    }

    private <T> GitOptions with(Setting<T> setting, T value) {
        return new GitOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    /** A part of an identity as git writes it: {@code name <address>}. */
    private static void requireIdentity(String what, String value) {
        if (value.isBlank() || value.chars().anyMatch(c -> c == '<' || c == '>' || Character.isISOControl(c))) {
            throw new IllegalArgumentException(
                    "the " + what + " in commits must not be blank or have '<', '>' or a line end, is '" + value + "'");
        }
    }

    /**
     * Sets the repository to work on.
     *
     * @param url a URL or path that git can clone from and push to
     * @return changed options
     */
    public GitOptions repository(String url) {
        return with(REPOSITORY, url);
    }

    /**
     * The repository to work on.
     *
     * @return empty unless set
     */
    public Optional<String> repository() {
        return values.find(REPOSITORY);
    }

    /**
     * Sets the branch that stories start from and are merged into.
     *
     * @param branch a branch of the repository
     * @return changed options
     */
    public GitOptions targetBranch(String branch) {
        return with(TARGET_BRANCH, branch);
    }

    /**
     * The branch that stories start from and are merged into.
     *
     * @return empty unless set: the repository's own default branch
     */
    public Optional<String> targetBranch() {
        return values.find(TARGET_BRANCH);
    }

    /**
     * Sets in whose name agents commit. Merges are made in the same name, or by the server of the {@linkplain Forge forge}.
     *
     * @param name <code>{AGENT_ID}</code> in it is replaced by the agent; not blank, without {@code <}, {@code >} and control
     *     characters
     * @return changed options
     */
    public GitOptions userName(String name) {
        return with(USER_NAME, name);
    }

    /**
     * In whose name agents commit.
     *
     * @return <code>Maestro {AGENT_ID}</code> unless set
     */
    public String userName() {
        return values.get(USER_NAME);
    }

    /**
     * Sets the address in agents' commits.
     *
     * @param email <code>{AGENT_ID}</code> in it is replaced by the agent; as a name otherwise
     * @return changed options
     */
    public GitOptions userEmail(String email) {
        return with(USER_EMAIL, email);
    }

    /**
     * The address in agents' commits.
     *
     * @return <code>{AGENT_ID}@maestro.local</code> unless set
     */
    public String userEmail() {
        return values.get(USER_EMAIL);
    }

    /**
     * Sets whether commits are signed, by git on this machine with what its configuration says: {@code user.signingKey}, {@code
     * gpg.format} and the programs for it. No container and no agent has the key. It is tried before a model is paid: a
     * story whose commits cannot be signed ends then. A key that stops working later keeps approved work waiting.
     *
     * @param on whether they are
     * @return changed options
     */
    public GitOptions signCommits(boolean on) {
        return with(SIGN_COMMITS, on);
    }

    /**
     * Whether commits are signed.
     *
     * @return false unless set
     */
    public boolean signCommits() {
        return values.get(SIGN_COMMITS);
    }

    /**
     * Sets whether commits have headers as Conventional Commits have them: the first line of the coder's summary where it is one,
     * as in <code>fix(parser): take empty lines</code>, and else one that is made of the story's title.
     *
     * @param on whether they have
     * @return changed options
     */
    public GitOptions conventionalCommits(boolean on) {
        return with(CONVENTIONAL_COMMITS, on);
    }

    /**
     * Whether commits have headers as Conventional Commits have them.
     *
     * @return false unless set
     */
    public boolean conventionalCommits() {
        return values.get(CONVENTIONAL_COMMITS);
    }

    /**
     * Sets whether a change that adds a token of a well-known form, such as one of GitHub or a private key, or what a rule of
     * the host's own redactor finds, goes back to the coder before it is reviewed. Secrets that Maestro knows by their value are
     * never committed, whatever is set here.
     *
     * @param block false where made-up tokens are part of the project
     * @return changed options
     */
    public GitOptions blockTokens(boolean block) {
        return with(BLOCK_TOKENS, block);
    }

    /**
     * Whether a change that adds a token goes back to the coder.
     *
     * @return true unless set
     */
    public boolean blockTokens() {
        return values.get(BLOCK_TOKENS);
    }

    /**
     * Sets whether the architect is asked how to resolve a conflict with what others have merged, before the coder resolves it: a
     * question with git's words, answered like any other.
     *
     * @param on whether it is asked
     * @return changed options
     */
    public GitOptions conflictGuidance(boolean on) {
        return with(CONFLICT_GUIDANCE, on);
    }

    /**
     * Whether the architect is asked how to resolve a conflict.
     *
     * @return false unless set
     */
    public boolean conflictGuidance() {
        return values.get(CONFLICT_GUIDANCE);
    }

    /**
     * Sets which directories of a large repository workspaces have, as git's sparse checkout has them: these with all that is
     * below, and the files that lie directly in a directory above one of them, the root included. Commits keep what is outside; a
     * file that an agent writes there is committed, too. Which they are is noted with each workspace: a change counts from the
     * next one on. Where the target branch lacks one of them, a story ends before a model is paid.
     *
     * @param paths from the repository's root on, separated by slashes, as in {@code services/billing}; at most 1,000; none for
     *     the whole repository
     * @return changed options
     * @throws IllegalArgumentException when one is no path inside a repository, or has a control character or any of
     *     <code>* ? [ ] \ "</code>
     */
    public GitOptions sparseDirectories(String... paths) {
        return with(SPARSE_DIRECTORIES, List.of(paths));
    }

    /**
     * Which directories workspaces have.
     *
     * @return unmodifiable; empty unless set: the whole repository
     */
    public List<String> sparseDirectories() {
        return values.get(SPARSE_DIRECTORIES);
    }
}
