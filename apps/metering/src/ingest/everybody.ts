/** The key of the rows that hold the sums of all keys, for charts of everything. No key has this id. */
export const everybody = '*';
