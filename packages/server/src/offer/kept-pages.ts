/**
 * A page of a list that was kept as its JSON text. A transport that writes text sends it as it stands; `JSON.stringify` meets
 * its entries.
 */
export class KeptPage<Entry> {
  /** A JSON array, in UTF-8, without line ends. */
  readonly json: Uint8Array;
  /** Asks for the page after this one; undefined for the last one. */
  readonly nextCursor: string | undefined;

  constructor(json: Uint8Array, nextCursor?: string) {
    this.json = json;
    this.nextCursor = nextCursor;
  }

  toJSON(): Entry[] {
    return JSON.parse(new TextDecoder().decode(this.json));
  }
}

/** A whole list in pages that were kept. */
export interface KeptPages<Entry> {
  /** How many entries each page has but the last. */
  pageSize: number;
  pages: readonly KeptPage<Entry>[];
}
