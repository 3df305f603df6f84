/**
 * Instances tell every five seconds, and it is written within four more: a notice that is lost, or a turn of
 * Postgres, makes no other incident.
 */
export const overAfterMs = 20_000;
