// Says which proxy client-go takes. Each line of standard input is {"env": {NAME: VALUE}, "servers": [URL]}; for each the
// program prints the list of proxies as JSON, empty texts where the server is reached without one.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

type question struct {
	Env     map[string]string `json:"env"`
	Servers []string          `json:"servers"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answer, _ := json.Marshal(proxies(asked))
		fmt.Println(string(answer))
	}
}

// http.ProxyFromEnvironment reads the variables once a process; its rules are those of httpproxy.
func proxies(asked question) []string {
	os.Clearenv()
	for name, value := range asked.Env {
		os.Setenv(name, value)
	}
	environment := httpproxy.FromEnvironment().ProxyFunc()
	choose := utilnet.NewProxierWithNoProxyCIDR(func(request *http.Request) (*url.URL, error) {
		return environment(request.URL)
	})
	found := []string{}
	for _, server := range asked.Servers {
		request, err := http.NewRequest(http.MethodGet, server, nil)
		if err != nil {
			found = append(found, "error: "+err.Error())
			continue
		}
		proxy, err := choose(request)
		switch {
		case err != nil:
			found = append(found, "error: "+err.Error())
		case proxy == nil:
			found = append(found, "")
		default:
			found = append(found, proxy.String())
		}
	}
	return found
}
