export { adminActOf, adminRoutes, adminRouteOf } from './admin-api';
export type { AdminRoute, EdgeRoute } from './admin-route';
export { catalogListing } from './catalog-listing';
export { deploymentList, type ListedDeployment } from './deployment-list';
export {
  edgeLimitsLoan,
  edgeLimitsNotice,
  edgeLimitsSubjects,
  type EdgeLimitsLoan,
  type EdgeLimitsNotice,
} from './edge-limits';
