import { type CompareCode, compareCodes } from '../compare/compare-codes.ts';
import { type InputCode, inputCodes } from '../input/input-codes.ts';
import { type McpCode, mcpCodes } from '../layers/mcp/mcp-codes.ts';
import { type OAuthCode, oauthCodes } from '../layers/oauth/oauth-codes.ts';
import { type PaymentCode, paymentCodes } from '../layers/payment/payment-codes.ts';
import type { CodeEntry } from './code-table.ts';

/** A stable code; gaps in the numbers are unused. */
export type Code = InputCode | McpCode | PaymentCode | OAuthCode | CompareCode;

/** All codes of this package; `docs/validator-codes.md` is generated from it. */
export const codes: Readonly<Record<Code, CodeEntry>> = {
  ...inputCodes,
  ...mcpCodes,
  ...paymentCodes,
  ...oauthCodes,
  ...compareCodes,
};
