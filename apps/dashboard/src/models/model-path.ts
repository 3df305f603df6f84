/** The address of a model's page. */
export const modelPath = (id: string): string => `/models/${id.split('/').map(encodeURIComponent).join('/')}`;
