// Parts of Argo CD, as its image runs them: argocd applicationset-controller|application-controller|repo-server [FLAG]...
//
// Its image also has a Redis server, which is no Go program: the repo-server starts one in memory, at the address
// REDIS_SERVER.
package main

import (
	"fmt"
	"os"

	"github.com/alicebob/miniredis/v2"
	applicationcontroller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationsetcontroller "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
)

func main() {
	parts := map[string]func() *cobra.Command{
		"applicationset-controller": applicationsetcontroller.NewCommand,
		"application-controller":    applicationcontroller.NewCommand,
		"repo-server":               reposerver.NewCommand,
	}
	if len(os.Args) < 2 || parts[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: argocd applicationset-controller|application-controller|repo-server [FLAG]...")
		os.Exit(2)
	}
	part := os.Args[1]
	if part == "repo-server" {
		if err := miniredis.NewMiniRedis().StartAddr(os.Getenv("REDIS_SERVER")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	command := parts[part]()
	command.SetArgs(os.Args[2:])
	if err := command.Execute(); err != nil {
		os.Exit(1)
	}
}
