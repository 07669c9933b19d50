// The door for servers over stdio: what they need, without HTTP and without the library that loads schemas.
export { createLiveOffer, type LiveOffer, type OfferChange } from '../catalog/live-offer.ts';
export { createOffer, type Offer } from '../catalog/offer.ts';
export { type Groups, type Selection, selectOffer } from '../catalog/select-offer.ts';
export { ServerOptionsError } from '../options/check-options.ts';
export { type ServeStdioOptions, type StdioServer, serveStdio } from './serve-stdio.ts';
