package io.maestro.docker.internal;

/**
 * A container of this instance.
 *
 * @param id its full id
 * @param name its unique name
 * @param imageId the full id of its image
 * @param agentId whom it is for
 * @param role what it is for
 * @param workingDirectory where its processes start, an absolute path
 */
public record Container(String id, String name, String imageId, String agentId, String role, String workingDirectory) {}
