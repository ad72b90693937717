package io.maestro.git.hosted;

import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.internal.ForgeSettings;
import io.maestro.git.hosted.internal.Product;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.Timing;
import io.maestro.git.hosted.internal.TokenSource;
import io.maestro.git.hosted.internal.gitea.Gitea;
import io.maestro.git.hosted.internal.github.AppTokens;
import io.maestro.git.hosted.internal.github.GitHub;
import io.maestro.git.internal.GitTimes;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes a {@link HostedForge}. Not safe for use by several threads. */
public final class HostedForgeBuilder {
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.[0-9.]+|\\[::1\\]");
    private static final Duration CONNECT = Duration.ofSeconds(20);

    private final Product product;
    private @Nullable String repository;
    private @Nullable URI baseUrl;
    private TokenSource token;
    private MergePolicy policy = MergePolicy.WHEN_APPROVED;
    private MergeMethod method = MergeMethod.MERGE;
    private List<String> labels = List.of();
    private List<String> reviewers = List.of();
    private boolean comments;
    private @Nullable HttpClient client;
    private GitTimes git = GitTimes.DEFAULT;
    private Timing timing = Timing.DEFAULT;

    HostedForgeBuilder(Product product) {
        this.product = product;
        this.token = product.tokens(System.getenv());
    }

    /**
     * Names the repository; taken from the URL that git uses unless set.
     *
     * @param ownerAndName as in {@code acme/shop}; on GitLab {@code group/subgroup/shop} too
     * @return this
     * @throws IllegalArgumentException when it has another form
     */
    public HostedForgeBuilder repository(String ownerAndName) {
        if (RepositoryName.of(product.host(), ownerAndName, product.nests()).isEmpty()) {
            throw new IllegalArgumentException("a repository of " + product.name()
                    + " is OWNER/NAME, as in acme/shop; this is '" + ownerAndName + "'");
        }
        this.repository = ownerAndName;
        return this;
    }

    /**
     * Sets where the API is. Unless set it is taken from the repository's URL: {@code https://HOST/api/v3} for a GitHub
     * Enterprise server, {@code https://HOST/api/v4} for GitLab,
     * {@code https://HOST/api/v1} for Gitea and Forgejo. The token goes there and nowhere else.
     *
     * @param url https (http only on this machine), without user, query and fragment
     * @return this
     * @throws IllegalArgumentException when it has another form
     */
    public HostedForgeBuilder baseUrl(URI url) {
        boolean safe = url.getHost() != null
                && ("https".equals(url.getScheme())
                        || "http".equals(url.getScheme())
                                && LOOPBACK.matcher(url.getHost()).matches());
        if (!safe || url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "the base URL of the API begins with https:// and a host (http:// only on this"
                            + " machine), and has no user, query or fragment, as https://github.example.org/api/v3");
        }
        String text = url.toString();
        this.baseUrl = text.endsWith("/") ? URI.create(text.substring(0, text.length() - 1)) : url;
        return this;
    }

    /**
     * Sets who gives the token. Unless set it is on GitHub that of {@code GH_TOKEN} or {@code GITHUB_TOKEN} for github.com,
     * {@code GH_ENTERPRISE_TOKEN} or {@code GITHUB_ENTERPRISE_TOKEN} for another server, else what {@code gh auth token} says;
     * on GitLab that of {@code GITLAB_TOKEN} for gitlab.com or the server in {@code GITLAB_HOST}, else what {@code glab} has; on
     * Gitea that of {@code GITEA_SERVER_TOKEN} for the server in {@code GITEA_SERVER_URL}; and else what git's
     * credential helpers have for the server. On GitHub it has to read and
     * write contents and pull requests, and to read checks, statuses and actions; on GitLab it has the scope {@code api} and at
     * least the role of a developer.
     *
     * @param supplier asked before each request, by several threads; where it throws or gives nothing, stories wait
     * @return this
     */
    public HostedForgeBuilder token(Supplier<String> supplier) {
        Objects.requireNonNull(supplier, "supplier");
        this.token = host -> Optional.ofNullable(supplier.get());
        return this;
    }

    /**
     * Works as a GitHub App that is installed in the repository: its tokens are for this repository alone and end after an hour;
     * there is a new one in time. The app needs the rights of {@link #token}.
     *
     * @param id the App's id or client id
     * @param privateKey the App's key as GitHub gives it, in PEM
     * @return this
     * @throws IllegalArgumentException when it is no such key, or the server is not GitHub
     */
    public HostedForgeBuilder app(String id, String privateKey) {
        if (!(product instanceof GitHub)) {
            throw new IllegalArgumentException(product.name() + " has no GitHub Apps: call token(…)");
        }
        this.token = new AppTokens(id, privateKey);
        return this;
    }

    /**
     * Takes the token from variables as {@link #token} says, in the place of those of this process.
     *
     * @param environment values by the variables' names
     * @return this
     */
    public HostedForgeBuilder fromEnvironment(Map<String, String> environment) {
        this.token = product.tokens(environment);
        return this;
    }

    /**
     * Sets who merges; {@link MergePolicy#WHEN_APPROVED} unless set.
     *
     * @param who the policy
     * @return this
     */
    public HostedForgeBuilder merge(MergePolicy who) {
        this.policy = Objects.requireNonNull(who, "who");
        return this;
    }

    /**
     * Sets how it is merged; {@link MergeMethod#MERGE} unless set. By {@link MergeMethod#QUEUE} a story is put into the branch's
     * queue once it may be merged; what the queue finds comes back to the coder, and a person who takes it out of there decides.
     *
     * @param how the repository has to allow it
     * @return this
     */
    public HostedForgeBuilder method(MergeMethod how) {
        this.method = Objects.requireNonNull(how, "how");
        return this;
    }

    /**
     * Sets the labels that each request gets.
     *
     * @param names those that are not there yet are made
     * @return this
     */
    public HostedForgeBuilder labels(String... names) {
        this.labels = List.of(names);
        return this;
    }

    /**
     * Sets who is asked to look at each request.
     *
     * @param names names of people; on GitHub and Gitea {@code ORGANIZATION/TEAM} too
     * @return this
     */
    public HostedForgeBuilder reviewers(String... names) {
        this.reviewers = List.of(names);
        return this;
    }

    /**
     * Sets after how long a request is looked at again that waits for checks or people; 30 seconds unless set.
     *
     * @param interval more than zero, at most an hour
     * @return this
     * @throws IllegalArgumentException when it is not
     */
    public HostedForgeBuilder pollInterval(Duration interval) {
        if (interval.isZero() || interval.isNegative() || interval.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException(
                    "the poll interval must be more than zero and at most an hour, is " + interval);
        }
        this.timing = new Timing(interval, timing.settle(), timing.mend(), timing.first(), timing.call());
        return this;
    }

    /**
     * Sets for how long after a push checks may still appear, so that nothing is merged yet; 30 seconds unless set.
     *
     * @param time zero where there are no checks; at most an hour
     * @return this
     * @throws IllegalArgumentException when it is not
     */
    public HostedForgeBuilder checksAppearWithin(Duration time) {
        if (time.isNegative() || time.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("the time for checks to appear must be 0 to an hour, is " + time);
        }
        this.timing = new Timing(timing.poll(), time, timing.mend(), timing.first(), timing.call());
        return this;
    }

    /**
     * Sets whether what people decide on is asked below the pull request as well, while there is one, and answered there by comments
     * such as {@code /maestro approve}; on GitHub and Gitea, and not unless set: on a public repository everybody reads what is asked there,
     * such as a question of the coder's or a call's arguments. Gitea tells who may write only to an account that administers
     * the repository: without, nobody decides by comments there.
     *
     * @param whether to; otherwise there are the other ways of the {@link io.maestro.inbox.Inbox inbox}
     * @return this
     */
    public HostedForgeBuilder answersByComments(boolean whether) {
        this.comments = whether;
        return this;
    }

    /**
     * Sets how long git may show no progress; see {@link io.maestro.git.LocalForge}.
     *
     * @param local on this machine
     * @param remote when it talks to the repository
     * @return this
     */
    public HostedForgeBuilder gitTimes(Duration local, Duration remote) {
        this.git = new GitTimes(local, remote);
        return this;
    }

    /**
     * Sets the HTTP client; unless set one with the proxy of this JVM.
     *
     * @param http must not follow redirects: it would send the token along
     * @return this
     * @throws IllegalArgumentException when it follows redirects
     */
    public HostedForgeBuilder httpClient(HttpClient http) {
        if (http.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new IllegalArgumentException("the HTTP client follows redirects (" + http.followRedirects()
                    + ") and would send the token along: build it with Redirect.NEVER");
        }
        this.client = http;
        return this;
    }

    /** For tests. */
    HostedForgeBuilder timing(Timing times) {
        this.timing = times;
        return this;
    }

    /** For tests. */
    HostedForgeBuilder tokens(TokenSource source) {
        this.token = source;
        return this;
    }

    /**
     * Makes the forge; nothing is asked of the server yet.
     *
     * @return a forge for any number of stories
     * @throws IllegalArgumentException when Gitea is to merge by a merge queue, which it has not
     */
    public HostedForge build() {
        if (method == MergeMethod.QUEUE && product instanceof Gitea) {
            throw new IllegalArgumentException("Gitea has no merge queue: choose MERGE, SQUASH or REBASE");
        }
        HttpClient http = client != null
                ? client
                : HttpClient.newBuilder()
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(CONNECT)
                        .build();
        return new HostedForge(new ForgeSettings(
                new ForgeSettings.ForgeConnection(product, repository, baseUrl, token, http),
                policy,
                method,
                labels,
                reviewers,
                comments,
                git,
                timing));
    }
}
