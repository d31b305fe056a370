package dev.holdfast.http.session;

/** A session among those of all tenants. */
record SessionKey(String tenant, String session) {}
