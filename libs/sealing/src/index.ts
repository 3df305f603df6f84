export { keyUnder, openText, sealText } from './sealed-text';
export { OpeningKey, sealFor } from './sealed-box';
export { sealOwnKey, sealProviderKey } from './sealed-provider-key';
