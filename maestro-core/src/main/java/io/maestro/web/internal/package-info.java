/**
 * Fetches pages for agents, who are told by strangers what to fetch. What always holds, and where it has its home:
 *
 * <ul>
 *   <li>No byte goes to a name, port or address that {@link io.maestro.web.internal.WebRules} do not allow. {@link
 *       io.maestro.web.internal.Connector} alone opens sockets. It looks a name up once, checks all its addresses, and connects to
 *       one of those that it has checked, without any proxy. Each redirect goes the same way again.
 *   <li>A fetch ends in its time, whatever a server does: {@link io.maestro.web.internal.FetchWatch}.
 *   <li>No more of an answer is kept than its limit, before and after decompression: {@link io.maestro.web.internal.WebResponse}.
 *       What becomes of HTML is bounded in elements, depth and characters: {@link io.maestro.web.internal.HtmlMarkdown}.
 *   <li>What comes from the web is shown to a model between marks that it cannot write itself: {@link
 *       io.maestro.web.internal.UntrustedText}.
 * </ul>
 */
@NullMarked
package io.maestro.web.internal;

import org.jspecify.annotations.NullMarked;
