package dev.holdfast.mcp.streamable;

/** On Jetty's own handlers. */
final class CallTest extends CallContract {

    @Override
    Site.Plan plan() {
        return new Site.Plan();
    }
}
