// Package ratelimit limits how often something may happen.
package ratelimit
