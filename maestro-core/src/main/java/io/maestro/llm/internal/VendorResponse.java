package io.maestro.llm.internal;

import java.io.InputStream;
import java.net.http.HttpHeaders;

/** What a server sends: its head is there, its body arrives. */
record VendorResponse(int status, HttpHeaders headers, InputStream body) {
    String header(String name) {
        return headers.firstValue(name).orElse("");
    }
}
