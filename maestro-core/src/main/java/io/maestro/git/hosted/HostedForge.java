package io.maestro.git.hosted;

import io.maestro.git.Forge;
import io.maestro.git.ForgeComments;
import io.maestro.git.GitException;
import io.maestro.git.hosted.internal.ForgeSession;
import io.maestro.git.hosted.internal.ForgeSettings;
import io.maestro.git.hosted.internal.Product;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.gitea.Gitea;
import io.maestro.git.hosted.internal.github.GitHub;
import io.maestro.git.hosted.internal.gitlab.GitLab;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Merges by requests on a server: pull requests on GitHub, GitHub Enterprise, Gitea and Forgejo, merge requests on GitLab. Branches are pushed
 * with git and its credentials; requests are made with a token for the API, which stands in the header of requests and nowhere
 * else:
 *
 * <pre>{@code
 * Maestro.builder()
 *     .repository("https://github.com/acme/shop.git")
 *     .forge(HostedForge.gitHub().merge(MergePolicy.WHEN_APPROVED).method(MergeMethod.SQUASH).build())
 * }</pre>
 *
 * <p>A story's attempt has one request, whatever happens to this process, the network or an answer. Its text is the template
 * {@code pull-request}; what people write around Maestro's section stays. Checks that fail, reviews that ask for changes and
 * review threads go back to the coder; when it comes back, threads are answered and resolved, and reviewers are asked again.
 * Only words of people count who may write to the repository, and never those of the account that the token is of: give
 * Maestro an account of its own. An approval counts for the commit that was looked at, and for later ones that only bring in the
 * target branch's news.
 *
 * <p>Where people decide on the merge or something else, they are asked below the request as well, and comments such as
 * {@code /maestro approve} of those who may write to the repository answer; see {@link HostedForgeBuilder#answersByComments}.
 *
 * <p>Nothing is merged but the commit that was tested, while the target branch is where it was tested. For the last moment in
 * between, have the branch's rules require branches to be up to date before merging.
 *
 * <p>A token that has expired, a rule or a rate limit never ends a story: it waits and says in the log what to do. Safe for use
 * by several threads.
 */
public final class HostedForge implements Forge, ForgeComments {
    private final ForgeSettings set;
    private final Map<RepositoryName, ForgeSession> sessions = new ConcurrentHashMap<>();

    HostedForge(ForgeSettings set) {
        this.set = set;
    }

    /**
     * Begins to describe a repository on github.com or on a GitHub Enterprise server. With nothing set it takes the repository
     * from its URL and the token from this machine.
     *
     * @return a builder
     */
    public static HostedForgeBuilder gitHub() {
        return new HostedForgeBuilder(new GitHub());
    }

    /**
     * Begins to describe a project on gitlab.com or on a server of one's own, from GitLab 15.6 on. With nothing set it takes the
     * project from the repository's URL and the token from this machine.
     *
     * @return a builder
     */
    public static HostedForgeBuilder gitLab() {
        return new HostedForgeBuilder(new GitLab());
    }

    /**
     * Begins to describe a repository on a server of Gitea or Forgejo. The repository is taken from its URL unless set.
     *
     * @return a builder
     */
    public static HostedForgeBuilder gitea() {
        return new HostedForgeBuilder(new Gitea());
    }

    @Override
    public String id() {
        return set.connection().product().id();
    }

    @Override
    public Optional<String> propose(Proposal proposal) {
        return session(proposal.remote()).propose(proposal);
    }

    @Override
    public Outcome merge(Proposal proposal) {
        return session(proposal.remote()).merge(proposal);
    }

    @Override
    public void withdraw(Proposal proposal, String reason) {
        session(proposal.remote()).withdraw(proposal, reason);
    }

    /** The time that {@link HostedForgeBuilder#pollInterval} sets. */
    @Override
    public Duration interval() {
        return set.timing().poll();
    }

    @Override
    public Optional<Conversation> conversation(Subject subject) {
        return session(subject.remote()).comments().of(subject);
    }

    @Override
    public void post(Subject subject, String text) {
        session(subject.remote()).comments().post(subject, text);
    }

    @Override
    public void edit(Subject subject, long id, String text) {
        session(subject.remote()).comments().edit(subject, id, text);
    }

    @Override
    public boolean mayDecide(Subject subject, Comment comment) {
        return session(subject.remote()).comments().mayDecide(subject, comment);
    }

    @Override
    public Optional<String> check(String remote, String targetBranch) {
        return Optional.of(session(remote).check(targetBranch));
    }

    /** The token, where it can be known without the repository. */
    @Override
    public List<String> secrets() {
        try {
            return set.connection().token().token(host()).stream().toList();
        } catch (RuntimeException e) {
            // Whoever asks for it in earnest tells what is wrong.
            return List.of();
        }
    }

    private String host() {
        URI api = set.connection().baseUrl();
        return api == null
                ? set.connection().product().host()
                : set.connection().product().host(api);
    }

    private ForgeSession session(String remote) {
        Product product = set.connection().product();
        RepositoryName name = set.connection().repository() != null
                ? RepositoryName.of(host(), set.connection().repository(), product.nests())
                        .orElseThrow(() -> new IllegalStateException("checked when it was set"))
                : RepositoryName.ofUrl(remote, product.nests())
                        .orElseThrow(() -> new GitException("the repository's URL names no owner and repository of "
                                + product.name() + ": give it as https://" + product.host()
                                + "/OWNER/NAME.git or git@" + product.host()
                                + ":OWNER/NAME.git, or call repository(\"OWNER/NAME\")"));
        return sessions.computeIfAbsent(name, one -> new ForgeSession(set, one));
    }

    /** What is set, without the token. */
    @Override
    public String toString() {
        return "HostedForge[" + id() + ", repository=" + set.connection().repository() + ", baseUrl="
                + set.connection().baseUrl() + ", merge="
                + set.policy()
                + ", method=" + set.method() + ", labels=" + set.labels() + ", reviewers=" + set.reviewers() + ", poll="
                + set.timing().poll() + ", checksAppearWithin=" + set.timing().settle() + ", answersByComments="
                + set.comments() + "]";
    }
}
