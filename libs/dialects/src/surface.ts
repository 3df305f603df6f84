export type { SurfaceDialect, SurfaceRequest, Transcript } from './surface-dialect';
