/**
 * Merges by requests on servers such as GitHub and GitLab. Its invariants, and who holds them:
 *
 * <ul>
 *   <li>A story's attempt has at most one request; an answer that was lost is looked up and never asked for again blindly
 *       ({@code internal.Requests} for requests, {@code internal.Answers} for replies, {@code internal.ForgeApi} sends a
 *       change once).
 *   <li>Nothing is merged but the proposed commit, while its base is the tip of the target branch ({@code internal.Merging}).
 *   <li>What Maestro's own account and accounts without a say in the repository write is never taken for a person's word
 *       (the {@code Server} of each product).
 *   <li>The token is in the header of requests to the API and nowhere else ({@code internal.ForgeHttp}).
 *   <li>What people write in a request stays; Maestro changes its own section only ({@code internal.RequestBody}).
 * </ul>
 */
@NullMarked
package io.maestro.git.hosted;

import org.jspecify.annotations.NullMarked;
