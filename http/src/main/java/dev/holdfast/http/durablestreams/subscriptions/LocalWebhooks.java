package dev.holdfast.http.durablestreams.subscriptions;

/** Whether webhooks may go to this machine, over {@code http} to {@code localhost}, {@code 127.x.x.x} or {@code [::1]}. */
public enum LocalWebhooks {
    /** For development, and for servers that only this machine reaches. */
    ALLOWED,
    REFUSED
}
