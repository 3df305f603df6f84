/** Every class is named as in the source. */
module.exports = { __esModule: true, default: new Proxy({}, { get: (_, name) => name }) };
