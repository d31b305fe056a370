package dev.holdfast.http.durablestreams;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.RequestHead;
import dev.holdfast.stream.Streams;

/**
 * A request for one stream by someone who may do what it asks.
 *
 * @param exchange the request and its response
 * @param name the stream's name
 * @param streams the streams of whoever asks
 */
record StreamCall(Exchange exchange, String name, Streams streams) {

    RequestHead head() {
        return exchange.head();
    }
}
