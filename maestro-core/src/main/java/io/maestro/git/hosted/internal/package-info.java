/** How requests on servers are made and merged, whatever the product; see {@link io.maestro.git.hosted}. Not for users. */
@NullMarked
package io.maestro.git.hosted.internal;

import org.jspecify.annotations.NullMarked;
