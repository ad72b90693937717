/**
 * What agents may look up on the web: {@code web_fetch} within a {@link io.maestro.web.WebAccess}, and {@code web_search} by a
 * {@link io.maestro.web.SearchProvider} of the host's. Both are off unless the host sets them.
 */
@NullMarked
package io.maestro.web;

import org.jspecify.annotations.NullMarked;
