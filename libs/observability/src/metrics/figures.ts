import type { Registry } from 'prom-client';

/** The figures of a service: a class that makes them as it is made, in its service's registry. */
export abstract class Figures {
  constructor(readonly registry: Registry) {}
}
