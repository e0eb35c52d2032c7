/** The client of NATS, bundled apart from the gateway: only a machine that is in a fleet loads it. */
export { connect } from '@nats-io/transport-node';
