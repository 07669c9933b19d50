import { type CompareCode, compareCodes } from '../compare/compare-codes.ts';
import { type InputCode, inputCodes } from '../input/input-codes.ts';
import { type A2aCode, a2aCodes } from '../layers/a2a/a2a-codes.ts';
import { type AppsCode, appsCodes } from '../layers/apps/apps-codes.ts';
import { type Erc8004Code, erc8004Codes } from '../layers/erc8004/erc8004-codes.ts';
import { type HtmlCode, htmlCodes } from '../layers/html/html-codes.ts';
import { type HttpCode, httpCodes } from '../layers/http/http-codes.ts';
import { type McpCode, mcpCodes } from '../layers/mcp/mcp-codes.ts';
import { type QualityCode, qualityCodes } from '../layers/mcp/quality-codes.ts';
import { type OAuthCode, oauthCodes } from '../layers/oauth/oauth-codes.ts';
import { type PaymentCode, paymentCodes } from '../layers/payment/payment-codes.ts';
import type { CodeEntry } from './code-table.ts';

/** A stable code; gaps in the numbers are unused. */
export type Code =
  | InputCode
  | HttpCode
  | McpCode
  | QualityCode
  | A2aCode
  | PaymentCode
  | OAuthCode
  | AppsCode
  | HtmlCode
  | Erc8004Code
  | CompareCode;

/** All codes of this package; `docs/validator-codes.md` is generated from it. */
export const codes: Readonly<Record<Code, CodeEntry>> = {
  ...inputCodes,
  ...httpCodes,
  ...mcpCodes,
  ...qualityCodes,
  ...a2aCodes,
  ...paymentCodes,
  ...oauthCodes,
  ...appsCodes,
  ...htmlCodes,
  ...erc8004Codes,
  ...compareCodes,
};
