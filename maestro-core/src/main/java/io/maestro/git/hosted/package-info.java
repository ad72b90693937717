/**
 * Merges by requests on servers such as GitHub and GitLab. Its invariants, and who holds them:
 *
 * <ul>
 *   <li>A story's attempt has at most one request; an answer that was lost is looked up and never asked for again blindly
 *       ({@code internal.PullRequests} for requests, {@code internal.ThreadReplies} for replies, {@code internal.ForgeApi} sends a
 *       change once).
 *   <li>Nothing is merged but the proposed commit, while its base is the tip of the target branch ({@code internal.Merging}).
 *   <li>Words of people who may not write to the repository decide nothing, stop nothing, and cost a request for each person
 *       ({@code internal.Writers}); their length and number end nothing ({@code internal.ForgeApi}). Words of Maestro's own
 *       account are no person's (the {@code Server} of each product).
 *   <li>The token is in the header of requests to the API and nowhere else ({@code internal.ForgeHttp}).
 *   <li>What people write in a request stays; Maestro changes its own section only ({@code internal.RequestBody}).
 *   <li>Texts of agents, tests and strangers are text there, and never Maestro's own words or a command ({@link
 *       io.maestro.git.internal.text.ForgeText}; titles and commit messages, too).
 * </ul>
 */
@NullMarked
package io.maestro.git.hosted;

import org.jspecify.annotations.NullMarked;
