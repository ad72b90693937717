package io.maestro.environment;

/**
 * How the check of an image went.
 *
 * @param passed whether the project can use it
 * @param image the id of the image that was checked, which may have been built anew
 * @param report what was done and found, for a model; the first line says how it went
 */
public record ImageCheck(boolean passed, String image, String report) {}
