/**
 * Tools borrowed from MCP servers of others, as a client. A server gives names, descriptions, schemas and answers, and none of them
 * is trusted: they are bounded, pinned and marked. The official Java SDK must be on the class path where a host uses this.
 */
@NullMarked
package io.maestro.mcpclient;

import org.jspecify.annotations.NullMarked;
